import * as assert from "node:assert/strict";
import * as v from "valibot";
import { dataOf } from "../support/client.ts";
import { mirrorClient, mirroring, open } from "../support/mirroring.ts";
import { noise } from "../support/random.ts";

const MIB = 1024 * 1024;
const USERS = 10;
const CLIENTS_OF_USER = 5;

Deno.test("C 28 50 clients that ask for a file at once share a fetch, and read before it has ended", async () => {
  await using parts = await mirroring({ settings: { gate: "block" } });
  const { double, server } = parts;
  const content = noise(4 * MIB);
  double.add("org/model", { "w.bin": { content } });
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: 2 * MIB } : undefined;
  const users = await Promise.all(
    Array.from({ length: USERS }, (_, user) => mirrorClient(server, user + 1)),
  );
  const hubs = users.flatMap((hub) => Array.from({ length: CLIENTS_OF_USER }, () => hub));
  const readers = await Promise.all(hubs.map(async (hub) => {
    const response = await open(hub, "/org/model/resolve/main/w.bin");
    assert.equal(response.status, 200);
    const reader = response.body?.getReader();
    const first = (await reader?.read())?.value;
    assert.ok(reader !== undefined && first !== undefined);
    return { reader, first };
  }));
  // Each has its first bytes while the other hub sends nothing any more.
  double.resume();
  await Promise.all(readers.map(async ({ reader, first }) => {
    let at = 0;
    for (let chunk: Uint8Array | undefined = first; chunk !== undefined;) {
      assert.deepEqual(chunk, content.subarray(at, at + chunk.length));
      at += chunk.length;
      chunk = (await reader.read()).value;
    }
    assert.equal(at, content.length);
  }));
  const fetched = double.taken().filter(({ host }) => host === "content");
  assert.deepEqual(fetched.map(({ range }) => range), [null, `bytes=${2 * MIB}-`]);
});

Deno.test("C 28 files come in as slowly as the setting says, however fast the other hub is", async () => {
  await using parts = await mirroring({ settings: { mirrorRate: 30_000 } });
  const { double, hub, server } = parts;
  const content = noise(4 * MIB);
  double.add("org/model", { "w.bin": { content } });
  const path = "/org/model/resolve/main/w.bin";
  const reader = (await open(hub, path)).body?.getReader();
  const first = (await reader?.read())?.value;
  assert.ok(first !== undefined && first.length < content.length / 2);
  // One without a rate has all of it meanwhile.
  await using other = await mirroring({ double });
  assert.deepEqual(await (await open(other.hub, path)).bytes(), content);
  const user = await server.as(1, "mirror.use");
  const state = dataOf(await user.send("GET", "/mirror-state"));
  const { fetches } = v.parse(
    v.object({ fetches: v.array(v.object({ bytes: v.number() })) }),
    state,
  );
  const [coming] = fetches;
  // At this rate, all of it takes minutes.
  assert.ok(coming !== undefined && coming.bytes < content.length);
  await reader?.cancel();
});
