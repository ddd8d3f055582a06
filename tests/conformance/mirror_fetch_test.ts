import * as assert from "node:assert/strict";
import type { HubClient } from "../support/hub.ts";
import { download, mirroring, open } from "../support/mirroring.ts";
import { noise } from "../support/random.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const PATH = "/org/model/resolve/main/w.bin";

/** How many bytes of the file come before it is broken off. */
async function bytesBeforeCut(hub: HubClient): Promise<number> {
  const response = await open(hub, PATH);
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) bytes += chunk.length;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return bytes;
  }
  throw new Error("It was not broken off");
}

Deno.test("C 28 who has bytes of a fetch that failed gets all of the file again", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const content = noise(4 * MIB);
  double.add("org/model", { "w.bin": { content } });
  // A wrong byte comes, and then nothing more, so nobody learns that it is wrong.
  double.fault = ({ host, range }) => {
    if (host === "hub") return undefined;
    return range === null ? { wrongAt: 0, cutAt: 2 * MIB } : { status: 404 };
  };
  const at = await bytesBeforeCut(hub);
  assert.ok(at > 0);
  double.fault = () => undefined;
  for (const attempt of ["as it comes in", "from the tree"]) {
    const { response, bytes } = await download(hub, PATH, { Range: `bytes=${at}-` });
    assert.equal(response.status, 200, attempt);
    assert.deepEqual(bytes, content);
  }
});

Deno.test("C 28 who was cut off goes on with a range, while a file comes in and afterwards", async () => {
  await using parts = await mirroring();
  const { double, hub } = parts;
  const content = noise(4 * MIB);
  double.add("org/model", { "w.bin": { content } });
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: 2 * MIB } : undefined;
  const begun = (await open(hub, PATH)).body?.getReader();
  assert.ok((await begun?.read())?.value !== undefined);
  await begun?.cancel();
  const resumed = await open(hub, PATH, { Range: `bytes=${MIB}-` });
  assert.equal(resumed.status, 206);
  double.resume();
  assert.deepEqual(await resumed.bytes(), content.subarray(MIB));
  await until(async () => {
    const { response, bytes } = await download(hub, PATH, { Range: `bytes=${MIB}-` });
    if (response.status === 429) return false;
    assert.equal(response.status, 206);
    assert.deepEqual(bytes, content.subarray(MIB));
    return true;
  });
});

Deno.test("C 28 a file that has begun to come in goes on after the other hub was away", async () => {
  await using parts = await mirroring({ upstream: { restMs: 300 } });
  const { double, hub } = parts;
  const content = noise(4 * MIB);
  double.add("org/model", { "w.bin": { content } });
  await hub.send("GET", "/api/models/org/model");
  let isCut = false;
  let failures = 9;
  double.fault = ({ host, range }) => {
    if (host === "hub") return isCut && failures-- > 0 ? { status: 502 } : undefined;
    if (range !== null) return undefined;
    isCut = true;
    return { cutAt: 2 * MIB };
  };
  assert.deepEqual((await download(hub, PATH)).bytes, content);
});

/** Has 8 files, the most of one user, come in until {@link HubDouble.resume}. */
async function occupied(options: { readonly unaskedMs: number }) {
  const parts = await mirroring({ settings: { metrics: "open" }, upstream: options });
  const { double, hub, server } = parts;
  const content = noise(MIB + 1000);
  const large = Array.from({ length: 8 }, (_, index) => `large${index}`);
  const small = Array.from({ length: 65 }, (_, index) => `small${index}`);
  double.add("org/model", {
    ...Object.fromEntries(large.map((path) => [path, { content }])),
    ...Object.fromEntries(small.map((path) => [path, path])),
  });
  double.fault = ({ host, range }) =>
    host === "content" && range === null ? { stallAt: MIB } : undefined;
  const read = (path: string) => open(hub, `/org/model/resolve/main/${path}`);
  const coming = async (count: number) => {
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    return metrics.includes(`\nstrongroom_mirror_fetches ${count}\n`);
  };
  /** Asks again as long as nothing has come in, as clients do. */
  const begun = async (path: string) => {
    for (;;) {
      const reply = await read(path);
      if (reply.status !== 429) return reply;
      await reply.body?.cancel();
    }
  };
  const readers: Response[] = [];
  for (const path of large) readers.push(await begun(path));
  const end = async () => {
    double.resume();
    for (const reader of readers) assert.deepEqual(await reader.bytes(), content);
  };
  return {
    ...{ read, begun, coming, small, end },
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

Deno.test("C 28 a user who waits for 64 files is told to wait with others", async () => {
  await using parts = await occupied({ unaskedMs: 2 ** 30 });
  const { read, coming, small, end } = parts;
  const waiting = small.slice(0, 64).map(read);
  await until(() => coming(72));
  const refused = await read(small[64] ?? "");
  assert.equal(refused.status, 429);
  assert.match(await refused.text(), /Too many files/);
  assert.ok(await coming(72));
  await end();
  for (const reply of await Promise.all(waiting)) await reply.body?.cancel();
});

Deno.test("C 28 a file that waits, and that nobody asks for, is forgotten", async () => {
  await using parts = await occupied({ unaskedMs: 1 });
  const { read, begun, coming, small, end } = parts;
  const forgotten = await read(small[0] ?? "");
  assert.equal(forgotten.status, 429);
  assert.match(await forgotten.text(), /Nobody has asked/);
  await until(() => coming(8));
  await end();
  assert.equal(await (await begun(small[0] ?? "")).text(), small[0]);
});
