import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { type Chunk, verifiedContent } from "../../core/content.ts";
import { KIB } from "../../schemas/units.ts";
import type { BlobStore, StagedBlob } from "../../core/blob_store.ts";
import type { ResourceStore } from "../../core/ports.ts";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";

/** A store of content with that of its rows. */
export interface ContentStores {
  readonly records: Pick<ResourceStore, "write">;
  readonly blobs: BlobStore;
}

/** Splits content into chunks. */
export async function* chunksOf(
  content: Uint8Array<ArrayBuffer>,
  size = 65536,
): AsyncGenerator<Chunk> {
  for (let at = 0; at < content.length; at += size) yield content.slice(at, at + size);
}

/** Publishes content. */
export async function publish(
  { records, blobs }: ContentStores,
  staged: readonly StagedBlob[],
): Promise<void> {
  await blobs.announce(staged);
  await records.write((transaction) => blobs.publish(staged, transaction));
}

/** Removes content that no record has. */
async function remove({ records, blobs }: ContentStores, hashes: readonly string[]): Promise<void> {
  await records.write((transaction) => blobs.remove(hashes, transaction), { alone: true });
}

/** All hashes that have content, in order. */
async function hashesOf(store: BlobStore): Promise<string[]> {
  return (await Array.fromAsync(store.hashes())).flatMap(({ hashes }) => hashes).sort();
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
export function blobStoreSuite(
  name: string,
  open: () => Promise<ContentStores & AsyncDisposable>,
): void {
  const test = (rule: string, body: (store: BlobStore, stores: ContentStores) => Promise<void>) =>
    Deno.test(`${name} ${rule}`, async () => {
      await using stores = await open();
      await body(stores.blobs, stores);
    });
  const md5 = (content: Uint8Array) => createHash("md5").update(content).digest("hex");

  test("stage() hashes content of any size", async (store, stores) => {
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
      await publish(stores, [staged]);
      assert.deepEqual(await contentOf(store, staged.hash), content);
    }
  });
  test("stage() keeps content that is in a file, too, without it", async (store, stores) => {
    await using directory = await TempDir.make();
    for (const size of [1, 65536, 65537, 3000 * KIB]) {
      const content = noise(size, size);
      const spool = `${directory.path}/${size}`;
      const spooled = async function* (end: number) {
        using file = await Deno.open(spool, { write: true, create: true, truncate: true });
        for await (const chunk of chunksOf(content)) {
          await file.write(chunk);
          yield chunk;
          if (end < size) throw new RangeError("cut");
        }
      };
      await assert.rejects(store.stage(spooled(0), spool), { message: "cut" });
      // It is its owner's.
      await Deno.stat(spool);
      {
        await using staged = await store.stage(spooled(size), spool);
        assert.equal(staged.hash, md5(content));
        await publish(stores, [staged]);
      }
      await Deno.remove(spool);
      assert.deepEqual(await contentOf(store, md5(content)), content);
    }
  });
  test("stage() accepts chunks of any size", async (store) => {
    const content = noise(3_000_000);
    const sizes = [10, 70_000, 1_048_576, 65_536, 500_000, 1, 1_200_000, 65_537];
    for (const first of sizes.keys()) {
      await using staged = await store.stage(
        (async function* () {
          for (let at = 0, index = first; at < content.length; index++) {
            const end = at + (sizes[index % sizes.length] ?? 1);
            yield content.slice(at, end);
            at = end;
          }
        })(),
      );
      assert.deepEqual([staged.hash, staged.size], [md5(content), content.length]);
    }
  });
  test("stage() stores nothing under its hash until it is published", async (store, stores) => {
    const staged = await store.stage(chunksOf(noise(10)));
    assert.equal(await store.sizeOf(staged.hash), undefined);
    await staged[Symbol.asyncDispose]();
    await assert.rejects(publish(stores, [staged]));
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
  test("publish() shares content that already exists", async (store, stores) => {
    const content = noise(200_000);
    await using first = await store.stage(chunksOf(content));
    await using second = await store.stage(chunksOf(content));
    await publish(stores, [first]);
    await using third = await store.stage(chunksOf(content));
    await publish(stores, [second, third]);
    assert.deepEqual(await hashesOf(store), [first.hash]);
    assert.deepEqual(await contentOf(store, first.hash), content);
  });
  test(
    "publish() publishes content that was removed after it was staged",
    async (store, stores) => {
      const content = noise(1000);
      await using first = await store.stage(chunksOf(content));
      await publish(stores, [first]);
      await using second = await store.stage(chunksOf(content));
      await remove(stores, [first.hash]);
      await publish(stores, [second]);
      assert.deepEqual(await contentOf(store, first.hash), content);
    },
  );
  test("remove() removes content and ignores missing hashes", async (store, stores) => {
    const blobs: StagedBlob[] = [];
    for (let seed = 0; seed < 20; seed++) blobs.push(await store.stage(chunksOf(noise(100, seed))));
    await publish(stores, blobs);
    const hashes = blobs.map(({ hash }) => hash);
    assert.deepEqual(await hashesOf(store), hashes.toSorted());
    await remove(stores, [...hashes.slice(5), "0".repeat(32)]);
    assert.deepEqual(await hashesOf(store), hashes.slice(0, 5).sort());
    await remove(stores, hashes);
    assert.deepEqual(await hashesOf(store), []);
  });
  test("open() reads ranges and continues after the content is removed", async (store, stores) => {
    const content = noise(1_000_000);
    await using staged = await store.stage(chunksOf(content));
    await publish(stores, [staged]);
    for (
      const [start, end] of [[0, 0], [0, 1], [999_999, 1_000_000], [300_000, 700_001]] as const
    ) {
      const part = await contentOf(store, staged.hash, { start, end });
      assert.deepEqual(part, content.slice(start, end));
    }
    const reader = await store.open(staged.hash, { start: 0, end: content.length });
    assert.ok(reader);
    const { value: first } = await reader.next();
    await remove(stores, [staged.hash]);
    const rest = await Array.fromAsync(reader);
    assert.deepEqual(Buffer.concat([first ?? new Uint8Array(), ...rest]), Buffer.from(content));
    assert.equal(await store.open(staged.hash, { start: 0, end: 1 }), undefined);
  });
  test(
    "open() returns a reader that can be returned at any time, and twice",
    async (store, stores) => {
      await using staged = await store.stage(chunksOf(noise(1_000_000)));
      await publish(stores, [staged]);
      for (const reads of [0, 1, 2]) {
        const reader = await store.open(staged.hash, { start: 0, end: 1_000_000 });
        for (let read = 0; read < reads; read++) await reader?.next();
        await reader?.return();
        await reader?.return();
        assert.deepEqual(await reader?.next(), { done: true, value: undefined });
      }
    },
  );
  test("open() throws when the content ends too early", async (store, stores) => {
    await using staged = await store.stage(chunksOf(noise(10)));
    await publish(stores, [staged]);
    const reader = await store.open(staged.hash, { start: 0, end: 20 });
    await assert.rejects(Array.fromAsync(reader ?? []), /10 bytes too early/);
  });
  const publishAll = async (
    stores: ContentStores,
    contents: readonly Uint8Array<ArrayBuffer>[],
  ) => {
    const staged: StagedBlob[] = [];
    for (const content of contents) staged.push(await stores.blobs.stage(chunksOf(content)));
    await publish(stores, staged);
    return staged;
  };
  const text = (lines: number) => new TextEncoder().encode("all work and no play\n".repeat(lines));
  const signal = new AbortController().signal;

  test(
    "sizesOf() returns the sizes in order, undefined for missing content",
    async (store, stores) => {
      const staged = await publishAll(stores, [noise(10), noise(0), noise(200_000)]);
      const hashes = [...staged.map(({ hash }) => hash), "0".repeat(32)];
      assert.deepEqual(await store.sizesOf(hashes, signal), [10, 0, 200_000, undefined]);
      const many = Array.from({ length: 1300 }, (_, index) => hashes[index % 4] ?? "");
      const sizes = await store.sizesOf(many, signal);
      assert.deepEqual(sizes, many.map((_, index) => [10, 0, 200_000, undefined][index % 4]));
      assert.deepEqual(await store.sizesOf([], signal), []);
      await assert.rejects(store.sizesOf(hashes, AbortSignal.abort("gone")), (it) => it === "gone");
    },
  );
  for (const compression of ["auto", "store", "deflate"] as const) {
    test(`pack() reads files of all sizes in order: ${compression}`, async (store, stores) => {
      const contents = [
        ...Array.from({ length: 150 }, (_, index) => noise(index, index + 1)),
        text(10),
        noise(64 * KIB),
        text(50_000),
        noise(64 * KIB + 1),
        text(20),
        ...Array.from({ length: 12 }, (_, index) => noise(50_000 + index)),
        noise(2_000_000),
      ];
      const files = await publishAll(stores, contents);
      let at = 0;
      for await (const { file, packed } of store.pack(pagesOf(files, 100), compression)) {
        const content = contents[at] ?? new Uint8Array();
        assert.equal(file, files[at]);
        assert.ok(packed);
        const shrinks = content.length > 100 && content[0] === text(1)[0];
        const deflates = compression === "deflate" ? content.length > 0 : shrinks;
        assert.equal(packed.deflated, compression !== "store" && deflates, String(content.length));
        const bytes = packed.deflated
          ? await inflated(packed.content)
          : await bytesOf(packed.content);
        assert.deepEqual(bytes, content);
        at++;
      }
      assert.equal(at, contents.length);
    });
  }
  test("pack() returns files without content", async (store, stores) => {
    const [staged] = await publishAll(stores, [text(100)]);
    assert.ok(staged);
    for (const size of [5, 500_000]) {
      for (const compression of ["auto", "store"] as const) {
        const missing = { hash: "0".repeat(32), size, crc32: 0 };
        const packed = [];
        for await (const it of store.pack(pagesOf([missing, staged]), compression)) {
          packed.push(it.packed !== undefined);
        }
        assert.deepEqual(packed, [false, true]);
      }
    }
  });
  test("pack() can be returned at any time", async (store, stores) => {
    const numbers = Array.from({ length: 300_000 }, (_, index) => index).join();
    const large = new TextEncoder().encode(numbers);
    const files = await publishAll(stores, [text(100), large, noise(100_000), text(200)]);
    for (const compression of ["store", "deflate"] as const) {
      for (let count = 0; count <= files.length; count++) {
        for (const reads of [0, 1, 2]) {
          const packed = store.pack(pagesOf(files), compression);
          for (let file = 0; file < count; file++) {
            const { value } = await packed.next();
            for (let read = 0; read < reads; read++) await value?.packed?.content.next();
          }
          await packed.return();
        }
      }
    }
  });
  test(
    "pack() reads a bounded number of files ahead, and stops when it is returned",
    async (store, stores) => {
      const files = await publishAll(stores, [text(100), noise(60_000)]);
      let pages = 0;
      let closed = false;
      const endless = async function* () {
        try {
          for (;; pages++) yield await Promise.resolve(files);
        } finally {
          closed = true;
        }
      };
      const packed = store.pack(endless(), "auto");
      for (let file = 0; file < 500; file++) {
        assert.ok((await packed.next()).value?.packed);
        assert.ok(pages <= file + 64, `${pages} pages for ${file} files`);
      }
      await packed.return();
      assert.equal(closed, true);
      const before = pages;
      await store.sizesOf([files[0]?.hash ?? ""], signal);
      assert.equal(pages, before);
    },
  );
  test("pack() and sizesOf() do not hold up other operations", async (store, stores) => {
    const files = await publishAll(
      stores,
      Array.from({ length: 100 }, (_, index) => text(100 + index)),
    );
    let finished = 0;
    const archives = Array.from({ length: 40 }, async () => {
      for (let round = 0; round < 5; round++) {
        const many = Array.from({ length: 20 }, () => files).flat();
        await store.sizesOf(many.map(({ hash }) => hash), signal);
        for await (const { packed } of store.pack(pagesOf(files), "deflate")) assert.ok(packed);
      }
      finished++;
    });
    // Large enough for a worker, and then one that needs none.
    for (const size of [500_000, 1000]) {
      await using staged = await store.stage(chunksOf(noise(size)));
      await publish(stores, [staged]);
      assert.equal(await store.sizeOf(staged.hash), size);
    }
    assert.equal(finished, 0);
    await Promise.all(archives);
  });
  test(
    "pack() and verifiedContent() withhold the end of damaged content",
    async (store, stores) => {
      for (const content of [text(100), text(40_000), noise(100), noise(900_000)]) {
        const [staged] = await publishAll(stores, [content]);
        assert.ok(staged);
        const { hash, size, crc32 } = staged;
        // Equal to bytes that have changed on the disk.
        const damaged = { hash, size, crc32: (crc32 ^ 1) >>> 0 };
        for (const compression of ["auto", "store", "deflate"] as const) {
          let read = 0;
          await assert.rejects(async () => {
            for await (const { packed } of store.pack(pagesOf([damaged]), compression)) {
              for await (const chunk of packed?.content ?? []) read += chunk.length;
            }
          }, { name: "DamagedContent", hash });
          assert.ok(read < size, `${read} of ${size}`);
        }
        let read = 0;
        await assert.rejects(async () => {
          const reader = await store.open(hash, { start: 0, end: size });
          assert.ok(reader);
          for await (const chunk of verifiedContent(reader, damaged)) read += chunk.length;
        }, { name: "DamagedContent", hash });
        assert.ok(read < size, `${read} of ${size}`);
      }
    },
  );
}

async function* pagesOf<File>(
  files: readonly File[],
  size = files.length,
): AsyncGenerator<readonly File[]> {
  for (let at = 0; at < files.length; at += size) {
    yield await Promise.resolve(files.slice(at, at + size));
  }
}

async function bytesOf(content: AsyncIterable<Chunk>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(ReadableStream.from(content)).arrayBuffer());
}

async function inflated(content: AsyncIterable<Chunk>): Promise<Uint8Array> {
  const raw = ReadableStream.from(content).pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(raw).arrayBuffer());
}
