import * as assert from "node:assert/strict";
import * as v from "valibot";
import type { Client } from "../support/client.ts";
import { CuttingProxy } from "../support/cutting_proxy.ts";
import { hubTest } from "../support/hub_clients.ts";
import { noise } from "../support/random.ts";

/** How often the file is downloaded. More rounds: HUB_ROUNDS=500. */
const ROUNDS = Number(Deno.env.get("HUB_ROUNDS") ?? 12);

const SIZE = 100_000;

const Received = v.object({
  outcomes: v.record(v.string(), v.number()),
  blobs: v.record(v.string(), v.string()),
});

/** Writes the file with the content of a number. */
async function replace(client: Client, number: number): Promise<void> {
  const { status } = await client.put("models/team/one/weights.bin", noise(SIZE, number));
  assert.ok(status === 200 || status === 201, String(status));
}

hubTest("C 31 no cache keeps other bytes than those of its name", async ({ server, client }) => {
  const one = await server.as(1);
  await replace(one, 0);
  let done = false;
  const replacing = (async () => {
    for (let round = 1; !done; round++) await replace(one, round);
  })();
  const program = client.program("replaced", String(ROUNDS)).finally(() => done = true);
  const [received] = await Promise.all([program, replacing]);
  const { outcomes, blobs } = v.parse(Received, received);
  for (const [name, sha256] of Object.entries(blobs)) assert.equal(name, sha256);
  const { received: whole = 0, RevisionNotFoundError: replaced = 0, ...others } = outcomes;
  assert.deepEqual([whole + replaced, others], [ROUNDS, {}]);
});

/** What a {@link Replacements} does next. */
type Phase =
  /** Gives the file new content, and cuts its download. */
  | "cut"
  /** Replaces it, and lets that arrive. */
  | "replace"
  /** Has the former content come back, of which the client has a part. */
  | "come back";

/** Cuts downloads of a file, and replaces it before they go on. */
class Replacements {
  #phase: Phase = "cut";
  #isDue = true;
  #cuts = 0;
  /** How many requests asked for the rest of the file. */
  resumed = 0;

  constructor(readonly client: Client) {}

  /** Does what is due before a request, and returns after how many bytes its reply is cut. */
  async before({ method, url, headers }: Request): Promise<number | undefined> {
    if (this.#isDue) await this.#replace();
    if (method !== "GET" || !url.includes("/hub/api/content/")) return undefined;
    if (headers.has("Range")) this.resumed++;
    const phase = this.#phase;
    this.#phase = this.#next();
    this.#isDue = true;
    return phase === "cut" ? 5000 + (this.#cuts * 7919) % (SIZE - 10_000) : undefined;
  }

  async #replace(): Promise<void> {
    this.#isDue = false;
    if (this.#phase === "cut") this.#cuts++;
    await replace(this.client, this.#phase === "replace" ? -this.#cuts : this.#cuts);
  }

  /** Every third download goes on with the file as it was. */
  #next(): Phase {
    switch (this.#phase) {
      case "cut":
        return this.#cuts % 3 === 0 ? "come back" : "replace";
      case "replace":
        return "come back";
      case "come back":
        return "cut";
    }
  }
}

hubTest("C 31 no cache keeps a mixture of a cut download and what replaced it", async (test) => {
  const { server, client } = test;
  const replacements = new Replacements(await server.as(1));
  await using proxy = new CuttingProxy(server.origin);
  proxy.cutAfter = (request) => replacements.before(request);
  const received = await client.with({ endpoint: `${proxy.origin}/hub` })
    .program("resumed", String(ROUNDS));
  const { outcomes, blobs } = v.parse(Received, received);
  for (const [name, sha256] of Object.entries(blobs)) assert.equal(name, sha256);
  const { resumed } = replacements;
  const seen = JSON.stringify({ version: client.version.version, outcomes, resumed });
  assert.ok(resumed > 0 && Object.keys(blobs).length > 1, seen);
  if (Deno.env.has("HUB_ROUNDS")) console.log(seen);
});
