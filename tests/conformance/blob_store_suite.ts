import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Chunk } from "../../core/content.ts";
import { KIB } from "../../schemas/units.ts";
import type { BlobStore, StagedBlob } from "../../core/ports.ts";

type Store = BlobStore & Disposable;

/** Splits content into chunks. */
export async function* chunksOf(
  content: Uint8Array<ArrayBuffer>,
  size = 65536,
): AsyncGenerator<Chunk> {
  for (let at = 0; at < content.length; at += size) yield content.slice(at, at + size);
}

/** Incompressible bytes, reproducible by seed. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Publishes content as a committed transaction does. */
export async function publish(
  store: BlobStore,
  staged: readonly StagedBlob[],
): Promise<void> {
  const actions: (() => Promise<void>)[] = [];
  await store.publish(staged, { beforeCommit: (action) => actions.push(action) });
  for (const action of actions) await action();
}

/** Reads a blob. Returns undefined if it does not exist. */
export async function contentOf(
  store: BlobStore,
  hash: string,
  range?: { start: number; end: number },
): Promise<Uint8Array | undefined> {
  const size = await store.sizeOf(hash);
  if (size === undefined) return undefined;
  const reader = await store.open(hash, range ?? { start: 0, end: size });
  assert.ok(reader);
  return new Uint8Array(await new Response(ReadableStream.from(reader)).arrayBuffer());
}

/**
 * The conformance suite for every {@link BlobStore}.
 *
 * @param open Opens an empty store.
 */
export function blobStoreSuite(name: string, open: () => Promise<Store & AsyncDisposable>): void {
  const test = (rule: string, body: (store: Store) => Promise<void>) =>
    Deno.test(`${name} ${rule}`, async () => {
      await using store = await open();
      await body(store);
    });
  const md5 = (content: Uint8Array) => createHash("md5").update(content).digest("hex");

  test("stage() hashes content of any size", async (store) => {
    for (
      const size of [0, 1, 65536, 128 * KIB, 128 * KIB + 1, 1024 * KIB - 1, 1024 * KIB, 3000 * KIB]
    ) {
      const content = noise(size, size);
      await using staged = await store.stage(chunksOf(content, 50_000));
      assert.deepEqual([staged.hash, staged.size, staged.crc32], [
        md5(content),
        size,
        crc32(content),
      ]);
      await publish(store, [staged]);
      assert.deepEqual(await contentOf(store, staged.hash), content);
    }
  });
  test("stage() stores nothing under its hash until it is published", async (store) => {
    const staged = await store.stage(chunksOf(noise(10)));
    assert.equal(await store.sizeOf(staged.hash), undefined);
    await staged[Symbol.asyncDispose]();
    await assert.rejects(publish(store, [staged]));
  });
  test("stage() rethrows errors of its content", async (store) => {
    for (const size of [10, 5_000_000]) {
      const broken = (async function* () {
        yield* chunksOf(noise(size));
        throw new RangeError("broken");
      })();
      await assert.rejects(store.stage(broken), RangeError);
    }
  });
  test("publish() shares content that already exists", async (store) => {
    const content = noise(200_000);
    await using first = await store.stage(chunksOf(content));
    await using second = await store.stage(chunksOf(content));
    await publish(store, [first]);
    await using third = await store.stage(chunksOf(content));
    await publish(store, [second, third]);
    assert.deepEqual((await Array.fromAsync(store.hashes())).flat(), [first.hash]);
    assert.deepEqual(await contentOf(store, first.hash), content);
  });
  test("publish() publishes content that was removed after it was staged", async (store) => {
    const content = noise(1000);
    await using first = await store.stage(chunksOf(content));
    await publish(store, [first]);
    await using second = await store.stage(chunksOf(content));
    await store.remove([first.hash]);
    await publish(store, [second]);
    assert.deepEqual(await contentOf(store, first.hash), content);
  });
  test("remove() removes content and ignores missing hashes", async (store) => {
    const blobs: StagedBlob[] = [];
    for (let seed = 0; seed < 20; seed++) blobs.push(await store.stage(chunksOf(noise(100, seed))));
    await publish(store, blobs);
    const hashes = blobs.map(({ hash }) => hash);
    assert.deepEqual((await Array.fromAsync(store.hashes())).flat().sort(), hashes.toSorted());
    await store.remove([...hashes.slice(5), "0".repeat(32)]);
    assert.deepEqual(
      (await Array.fromAsync(store.hashes())).flat().sort(),
      hashes.slice(0, 5).sort(),
    );
    await store.remove(hashes);
    assert.deepEqual((await Array.fromAsync(store.hashes())).flat(), []);
  });
  test("open() reads ranges and continues after the content is removed", async (store) => {
    const content = noise(1_000_000);
    await using staged = await store.stage(chunksOf(content));
    await publish(store, [staged]);
    for (
      const [start, end] of [[0, 0], [0, 1], [999_999, 1_000_000], [300_000, 700_001]] as const
    ) {
      const part = await contentOf(store, staged.hash, { start, end });
      assert.deepEqual(part, content.slice(start, end));
    }
    const reader = await store.open(staged.hash, { start: 0, end: content.length });
    assert.ok(reader);
    const { value: first } = await reader.next();
    await store.remove([staged.hash]);
    const rest = await Array.fromAsync(reader);
    assert.deepEqual(Buffer.concat([first ?? new Uint8Array(), ...rest]), Buffer.from(content));
    assert.equal(await store.open(staged.hash, { start: 0, end: 1 }), undefined);
  });
  test("open() returns a reader that can be returned at any time, and twice", async (store) => {
    await using staged = await store.stage(chunksOf(noise(1_000_000)));
    await publish(store, [staged]);
    for (const reads of [0, 1, 2]) {
      const reader = await store.open(staged.hash, { start: 0, end: 1_000_000 });
      for (let read = 0; read < reads; read++) await reader?.next();
      await reader?.return();
      await reader?.return();
      assert.deepEqual(await reader?.next(), { done: true, value: undefined });
    }
  });
  test("open() throws when the content ends too early", async (store) => {
    await using staged = await store.stage(chunksOf(noise(10)));
    await publish(store, [staged]);
    const reader = await store.open(staged.hash, { start: 0, end: 20 });
    await assert.rejects(Array.fromAsync(reader ?? []), /10 bytes too early/);
  });
  test("openDeflated() deflates content that shrinks", async (store) => {
    const text = new TextEncoder().encode("all work and no play\n".repeat(50_000));
    await using dense = await store.stage(chunksOf(noise(500_000)));
    await using loose = await store.stage(chunksOf(text));
    await publish(store, [dense, loose]);
    assert.equal(await store.openDeflated(dense.hash, { always: false }), undefined);
    for (
      const [hash, always, content] of [
        [loose.hash, false, text],
        [dense.hash, true, noise(500_000)],
      ] as const
    ) {
      const reader = await store.openDeflated(hash, { always });
      assert.ok(reader);
      const raw = ReadableStream.from(reader).pipeThrough(new DecompressionStream("deflate-raw"));
      assert.deepEqual(new Uint8Array(await new Response(raw).arrayBuffer()), content);
    }
  });
  test("openDeflated() can be returned at any time, and is undefined without content", async (store) => {
    const text = new TextEncoder().encode(Array.from({ length: 300_000 }, (_, it) => it).join());
    await using staged = await store.stage(chunksOf(text));
    await publish(store, [staged]);
    for (const reads of [0, 1, 2]) {
      const reader = await store.openDeflated(staged.hash, { always: true });
      for (let read = 0; read < reads; read++) await reader?.next();
      await reader?.return();
    }
    assert.equal(await store.openDeflated("0".repeat(32), { always: true }), undefined);
  });
}
