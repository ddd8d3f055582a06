import type { Chunk, ContentReader } from "../../core/content.ts";
import { yieldToEventLoop } from "../../core/event_loop.ts";
import type {
  BlobStore,
  ByteRange,
  ContentFacts,
  HashRange,
  PackedFile,
  StagedBlob,
  WriteTransaction,
} from "../../core/ports.ts";
import type { Compression } from "../../schemas/resources.ts";
import {
  makeDirectorySync,
  orMissing,
  orMissingSync,
  removeFile,
  syncDirectory,
} from "../disk/files.ts";
import { FreeSpace } from "../disk/free_space.ts";
import { asStorageFull, storageFull } from "../disk/storage_full.ts";
import { WorkerPool } from "../threads/pool.ts";
import { WORKERS } from "../threads/workers.ts";
import { BlobWriter } from "./blob_writer.ts";
import type { ContentTasks } from "./content_tasks.ts";
import { HeldContent } from "./held_content.ts";
import { Packer } from "./packer.ts";
import { blobDirectory, blobPath, PREFIXES } from "./paths.ts";
import { QuarantineDirectory } from "./quarantine.ts";
import { readRange } from "./read_range.ts";
import { StagedBlobFile } from "./staged_blob_file.ts";

/** Number of files published between two turns of the event loop. */
const MAX_PUBLISHED_PER_TURN = 64;
/** One serving thread cannot keep more workers than this busy. */
const MAX_WORKERS = 8;

export interface BlobStoreOptions {
  /** Content is refused while less than this is free. @default 0 */
  readonly reserveBytes?: number;
}

/**
 * Stores each blob in a file below `blobs/` named by its digest (C 12). New files are written and
 * synced in `tmp/`, then renamed within the transaction that adds their record.
 */
export class DirectoryBlobStore implements BlobStore, Disposable {
  needsSweep = false;
  readonly quarantine: QuarantineDirectory;
  readonly #root: string;
  readonly #temporary: string;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #writer: BlobWriter;
  readonly #packer: Packer;
  readonly #held: HeldContent;
  /** Directories that are known to be durable, including every entry from the root to them. */
  readonly #durable = new Set<string>();

  private constructor(dataDir: string, temporary: string, reserveBytes: number) {
    this.#root = blobDirectory(dataDir);
    this.#temporary = temporary;
    this.#held = new HeldContent(dataDir);
    const workers = Math.min(navigator.hardwareConcurrency, MAX_WORKERS);
    this.#pool = new WorkerPool(WORKERS.content, workers);
    this.#packer = new Packer(this.#pool, {
      maxCalls: workers,
      pathOf: (hash) => this.pathOf(hash),
    });
    this.quarantine = new QuarantineDirectory(dataDir, (hash) => this.pathOf(hash));
    const space = new FreeSpace(temporary);
    this.#writer = new BlobWriter(this.#pool, () => {
      if (!space.has(reserveBytes)) throw storageFull();
    });
  }

  /**
   * Opens the store below `dataDir`, which must exist, and empties its `tmp/` and `held/`.
   *
   * @throws {Error} when `blobs/` or `tmp/` exists and is not a directory.
   */
  static async open(
    dataDir: string,
    { reserveBytes = 0 }: BlobStoreOptions = {},
  ): Promise<DirectoryBlobStore> {
    const root = blobDirectory(dataDir);
    const temporary = `${dataDir}/tmp`;
    makeDirectorySync(root);
    makeDirectorySync(temporary);
    for (const path of [root, temporary]) {
      // A link would point to other files, and the files in `tmp/` are removed below.
      if (!(await Deno.lstat(path)).isDirectory) throw new Error(`"${path}" is not a directory`);
    }
    for await (const { name } of Deno.readDir(temporary)) {
      await Deno.remove(`${temporary}/${name}`, { recursive: true });
    }
    return new DirectoryBlobStore(dataDir, temporary, reserveBytes);
  }

  async stage(content: AsyncIterable<Chunk>): Promise<StagedBlob> {
    const path = `${this.#temporary}/${crypto.randomUUID()}`;
    try {
      const staged = new StagedBlobFile(path, await this.#writer.write(path, content));
      // Compare here, not only in `publish`: a transaction must not wait for two files to be read.
      await staged.isDuplicateOf(this.pathOf(staged.hash));
      return staged;
    } catch (error) {
      // A file that stays is removed at the next start. The caller learns why the content was refused.
      await removeFile(path).catch(() => {});
      throw asStorageFull(error);
    }
  }

  async publish(
    staged: readonly StagedBlob[],
    transaction: Pick<WriteTransaction, "beforeCommit">,
  ): Promise<void> {
    const directories = new Set<string>();
    try {
      for (const [index, blob] of staged.entries()) {
        if (index % MAX_PUBLISHED_PER_TURN === MAX_PUBLISHED_PER_TURN - 1) await yieldToEventLoop();
        await this.#publish(blob, directories);
      }
    } catch (error) {
      throw asStorageFull(error);
    }
    transaction.beforeCommit(async () => {
      await Promise.all([...directories].map(syncDirectory)).catch((error) => {
        throw asStorageFull(error);
      });
      for (const directory of directories) this.#durable.add(directory);
    });
  }

  async remove(hashes: readonly string[]): Promise<void> {
    // Wait for all, even after a failure: a removal that outlives the transaction could delete
    // content that a later upload shares.
    const held = this.#held.needed;
    const outcomes = await Promise.allSettled(hashes.map((hash) => this.#remove(hash, held)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #remove(hash: string, held: boolean): Promise<void> {
    const path = this.pathOf(hash);
    if (held) this.#held.take(hash, path);
    else await removeFile(path);
    const fan = parentOf(path);
    if (!await removeEmpty(fan)) return;
    this.#durable.delete(fan);
    await removeEmpty(parentOf(fan));
  }

  async *hashes(): AsyncGenerator<HashRange> {
    using worker = this.#pool.acquire();
    for (const prefix of PREFIXES) {
      yield { prefix, hashes: await worker.remote.hashesBelow(this.#root, prefix) };
    }
  }

  async sizeOf(hash: string): Promise<number | undefined> {
    return (await orMissing(Deno.stat(this.pathOf(hash))))?.size;
  }

  sizesOf(hashes: readonly string[], signal: AbortSignal): Promise<(number | undefined)[]> {
    return this.#packer.sizesOf(hashes, signal);
  }

  async open(hash: string, range: ByteRange): Promise<ContentReader | undefined> {
    const file = await orMissing(Deno.open(this.pathOf(hash)));
    return file && readRange(file, range);
  }

  pack<File extends ContentFacts>(
    pages: AsyncIterable<readonly File[]>,
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void> {
    return this.#packer.pack(pages, compression);
  }

  /** Fails if no blob can be staged and published now. */
  async probe(): Promise<void> {
    const name = crypto.randomUUID();
    try {
      await Deno.writeFile(`${this.#temporary}/${name}`, new Uint8Array(1), {
        createNew: true,
        mode: 0o600,
      });
      await Deno.rename(`${this.#temporary}/${name}`, `${this.#root}/${name}`);
    } finally {
      await removeFile(`${this.#temporary}/${name}`);
      await removeFile(`${this.#root}/${name}`).catch((error) => {
        // If `blobs/` is a file there is nothing to remove, and the rename above reports it.
        if (!(error instanceof Deno.errors.NotADirectory)) throw error;
      });
    }
  }

  /** Ends the worker threads. */
  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
    this.#pool[Symbol.dispose]();
  }

  /** The path at which content is or would be stored. */
  pathOf(hash: string): string {
    return `${this.#root}/${blobPath(hash)}`;
  }

  /**
   * Renames one staged file to its final path, unless that content is stored already, and adds the
   * directories to sync for it. Uses synchronous calls where they read and write no disk blocks: one
   * turn of the event loop for each would delay every queued transaction longer than the calls take.
   */
  async #publish(blob: StagedBlob, directories: Set<string>): Promise<void> {
    if (!(blob instanceof StagedBlobFile)) throw new TypeError("Not a blob of this store");
    const path = this.pathOf(blob.hash);
    const fan = parentOf(path);
    // Sync for stored content too: the upload that published it may have failed before its sync.
    directories.add(fan);
    if (!this.#durable.has(fan)) directories.add(parentOf(fan)).add(this.#root);
    const exists = orMissingSync(() => Deno.statSync(path)) !== undefined;
    if (exists && await blob.isDuplicateOf(path)) return;
    if (orMissingSync(() => Deno.statSync(fan)) === undefined) {
      makeDirectorySync(parentOf(fan));
      makeDirectorySync(fan);
    }
    Deno.renameSync(blob.path, path);
    blob.published = true;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Removes a directory if it exists and is empty, and returns whether it did. */
async function removeEmpty(path: string): Promise<boolean> {
  try {
    await Deno.remove(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Error && "code" in error && error.code === "ENOTEMPTY") return false;
    throw error;
  }
}
