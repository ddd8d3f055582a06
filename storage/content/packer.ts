import { type Chunk, ContentReader, verifyChecksum } from "../../core/content.ts";
import type { PackedContent, PackedFile } from "../../core/blob_store.ts";
import type { ContentFacts } from "../../core/ports.ts";
import { Semaphore } from "../../core/semaphore.ts";
import type { Compression } from "../../schemas/resources.ts";
import { KIB } from "../../schemas/units.ts";
import type { WorkerPool } from "../threads/pool.ts";
import type { Remote } from "../threads/rpc.ts";
import type { ContentTasks } from "./content_tasks.ts";
import type { PackedBytes, SmallFile } from "./pack_small.ts";

/** Files up to this size are packed in batches: a call to a worker for each would take longer. */
const MAX_SMALL_BYTES = 64 * KIB;
/** The most bytes and files of a batch. Two batches of an archive are in memory at once. */
const MAX_BATCH_BYTES = 256 * KIB;
const MAX_BATCH_FILES = 64;
/** The most sizes to ask for in one call. */
const MAX_SIZES = 500;

/** Small content that is in the database. */
export interface SmallContents {
  /** The contents of those hashes that have one. Ask for a few megabytes at most. */
  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>>;
  /** The sizes of those contents that need not be looked for elsewhere. */
  sizesOf(hashes: readonly string[]): Promise<Map<string, number>>;
}

/** Where content is that is not in the database. */
export interface LargeContents {
  /** The path at which content is or would be stored in a file; undefined if it never is. */
  pathOf(hash: string): string | undefined;
  /** Returns content as it is; undefined if it is missing. */
  store(file: ContentFacts): Promise<PackedContent | undefined>;
  /**
   * Returns content compressed; undefined if it is missing or, unless `always`, would hardly shrink.
   */
  deflate(file: ContentFacts, always: boolean): Promise<PackedContent | undefined>;
}

export interface PackerOptions {
  readonly contents: SmallContents;
  readonly large: LargeContents;
  /**
   * The most calls for batches at a time, for all archives together. Further ones wait here, and not
   * in the queues of the workers, so that uploads do not wait for them.
   */
  readonly maxCalls: number;
}

/** Finds, reads and compresses the contents of archives in worker threads. */
export class Packer {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #contents: SmallContents;
  readonly #large: LargeContents;
  readonly #calls: Semaphore;

  constructor(pool: WorkerPool<ContentTasks>, { contents, maxCalls, large }: PackerOptions) {
    this.#pool = pool;
    this.#contents = contents;
    this.#large = large;
    this.#calls = new Semaphore(maxCalls);
  }

  /** Implements {@link BlobStore.sizesOf}. */
  async sizesOf(hashes: readonly string[], signal: AbortSignal): Promise<(number | undefined)[]> {
    const known = new Map<string, number>();
    for (let at = 0; at < hashes.length; at += MAX_SIZES) {
      signal.throwIfAborted();
      const sizes = await this.#contents.sizesOf(hashes.slice(at, at + MAX_SIZES));
      for (const [hash, size] of sizes) known.set(hash, size);
    }
    signal.throwIfAborted();
    const inFiles = new Map<string, string>();
    for (const hash of hashes) {
      const path = known.has(hash) ? undefined : this.#large.pathOf(hash);
      if (path !== undefined) inFiles.set(hash, path);
    }
    const sizes = await this.#inBatches(
      [...inFiles.values()],
      (remote, rest) => remote.sizesOf(rest.slice(0, MAX_SIZES)),
      signal,
    );
    for (const [index, hash] of [...inFiles.keys()].entries()) {
      const size = sizes[index];
      if (size !== undefined) known.set(hash, size);
    }
    return hashes.map((hash) => known.get(hash));
  }

  /** Implements {@link BlobStore.pack}. Packs one batch of small files ahead. */
  async *pack<File extends ContentFacts>(
    pages: AsyncIterable<readonly File[]>,
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void> {
    const stop = new AbortController();
    let current: AsyncIterable<PackedFile<File>> | undefined;
    try {
      for await (const batch of batchesOf(pages)) {
        const next = batch.some(isLarge)
          ? this.#packLarge(batch, compression)
          : this.#packSmall(batch, compression, stop.signal);
        if (current !== undefined) yield* current;
        current = next;
      }
      if (current !== undefined) yield* current;
    } finally {
      stop.abort();
    }
  }

  /** Packs a batch of small files, starting at once. */
  #packSmall<File extends ContentFacts>(
    batch: readonly File[],
    compression: Compression,
    signal: AbortSignal,
  ): AsyncIterable<PackedFile<File>> {
    const packing = this.#smallFiles(batch).then((files) =>
      this.#inBatches(files, (remote, rest) => remote.packSmall(rest, compression), signal)
    );
    // Reported when the batch is read, which it may never be.
    packing.catch(() => {});
    return (async function* () {
      const results = await packing;
      for (const [index, file] of batch.entries()) {
        const found = results[index];
        yield { file, packed: found && packedContent(file, found) };
      }
    })();
  }

  /** Where to read the contents of small files: in a file, or at hand. */
  async #smallFiles(batch: readonly ContentFacts[]): Promise<SmallFile[]> {
    const found = await this.#contents.bytesOfAll(batch.map(({ hash }) => hash));
    return batch.map(({ hash, size }) => ({
      path: this.#large.pathOf(hash),
      bytes: found.get(hash),
      size,
    }));
  }

  /** Packs each file as a stream, when it is requested. */
  async *#packLarge<File extends ContentFacts>(
    batch: readonly File[],
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void> {
    for (const file of batch) {
      const deflated = compression === "store"
        ? undefined
        : await this.#large.deflate(file, compression === "deflate");
      const packed = deflated ?? await this.#large.store(file);
      try {
        yield { file, packed };
      } finally {
        await packed?.content.return();
      }
    }
  }

  /** Calls a worker for the rest of the items until all have a result. */
  async #inBatches<Item, Result>(
    items: readonly Item[],
    call: (remote: Remote<ContentTasks>, rest: readonly Item[]) => Promise<Result[]>,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const results: Result[] = [];
    while (results.length < items.length) {
      using _permit = await this.#calls.acquire(signal);
      using worker = this.#pool.acquire();
      results.push(...await call(worker.remote, items.slice(results.length)));
    }
    return results;
  }
}

/**
 * The content of a small file.
 *
 * @throws {DamagedContent} when it is not the content of the file.
 */
function packedContent(
  file: ContentFacts,
  { bytes, deflated, checksum }: PackedBytes,
): PackedContent {
  verifyChecksum(file, checksum);
  const chunks = bytes.length === 0 ? [] : [bytes];
  return {
    deflated,
    content: new ContentReader(() => Promise.resolve(chunks.shift()), () => {}),
  };
}

/** Splits the files into batches of small files, and batches of one large file. */
async function* batchesOf<File extends ContentFacts>(
  pages: AsyncIterable<readonly File[]>,
): AsyncGenerator<readonly File[], void> {
  for await (const page of pages) {
    let batch: File[] = [];
    let bytes = 0;
    for (const file of page) {
      bytes += file.size;
      const full = batch.length === MAX_BATCH_FILES || bytes > MAX_BATCH_BYTES;
      if (batch.length > 0 && (full || isLarge(file) || batch.some(isLarge))) {
        yield batch;
        batch = [];
        bytes = file.size;
      }
      batch.push(file);
    }
    if (batch.length > 0) yield batch;
  }
}

function isLarge({ size }: ContentFacts): boolean {
  return size > MAX_SMALL_BYTES;
}
