import * as assert from "node:assert/strict";
import * as v from "valibot";
import { hubTest } from "../support/hub_clients.ts";

/** How often the file is downloaded. More rounds: HUB_ROUNDS=500. */
const ROUNDS = Number(Deno.env.get("HUB_ROUNDS") ?? 12);

const Received = v.object({
  outcomes: v.record(v.string(), v.number()),
  blobs: v.record(v.string(), v.string()),
});

hubTest("C 31 no cache keeps other bytes than those of its name", async ({ server, client }) => {
  const one = await server.as(1);
  const replace = async (round: number) => {
    const { status } = await one.put(
      "models/team/one/weights.bin",
      new Uint8Array(100_000).fill(round),
    );
    assert.ok(status === 200 || status === 201, String(status));
  };
  await replace(0);
  let done = false;
  const replacing = (async () => {
    for (let round = 1; !done; round++) await replace(round);
  })();
  const program = client.program("replaced", String(ROUNDS)).finally(() => done = true);
  const [received] = await Promise.all([program, replacing]);
  const { outcomes, blobs } = v.parse(Received, received);
  for (const [name, sha256] of Object.entries(blobs)) assert.equal(name, sha256);
  const { received: whole = 0, RevisionNotFoundError: replaced = 0, ...others } = outcomes;
  assert.deepEqual([whole + replaced, others], [ROUNDS, {}]);
});
