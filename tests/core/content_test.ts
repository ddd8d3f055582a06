import * as assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { type Chunk, ContentReader, joinChunks, verifiedContent } from "../../core/content.ts";

/** A reader of the given chunks that counts how often it is closed. */
function counted(chunks: readonly Chunk[]): { reader: ContentReader; closed: () => number } {
  const left = [...chunks];
  let closed = 0;
  const reader = new ContentReader(
    () => Promise.resolve(left.shift()),
    () => {
      closed++;
    },
  );
  return { reader, closed: () => closed };
}

Deno.test("C 22 verifiedContent() holds no chunk besides the one that it returns", async () => {
  const chunks = ["one", "two", "three"].map((text) => new TextEncoder().encode(text));
  let read = 0;
  const source = new ContentReader(() => Promise.resolve(chunks[read++]), () => {});
  const facts = { hash: "", size: 11, crc32: crc32("onetwothree") };
  const content = verifiedContent(source, facts);
  for (const [index, chunk] of chunks.entries()) {
    assert.deepEqual((await content.next()).value, chunk);
    assert.equal(read, index + 1);
  }
  assert.equal((await content.next()).done, true);
});

Deno.test("joinChunks() copies chunks in order", () => {
  const whole = new Uint8Array([1, 2, 3, 4]);
  assert.deepEqual(
    joinChunks([whole.subarray(0, 1), whole.subarray(1, 1), whole.subarray(1)]),
    whole,
  );
  assert.deepEqual(joinChunks([]), new Uint8Array());
});

Deno.test("ContentReader closes once, however it ends", async (t) => {
  const chunks = [new Uint8Array([1]), new Uint8Array([2])];
  await t.step("after the last chunk", async () => {
    const { reader, closed } = counted(chunks);
    assert.deepEqual(await Array.fromAsync(reader), chunks);
    await reader.return();
    assert.equal(closed(), 1);
  });
  await t.step("returned before the first chunk", async () => {
    const { reader, closed } = counted(chunks);
    await reader.return();
    await reader.return();
    assert.deepEqual(await reader.next(), { done: true, value: undefined });
    assert.equal(closed(), 1);
  });
  await t.step("when reading fails", async () => {
    let closed = 0;
    const reader = new ContentReader(() => Promise.reject(new Error("no disk")), () => {
      closed++;
    });
    await assert.rejects(reader.next(), /no disk/);
    assert.deepEqual(await reader.next(), { done: true, value: undefined });
    assert.equal(closed, 1);
  });
});
