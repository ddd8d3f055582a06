import { type Chunk, ContentReader } from "../../core/content.ts";
import type { BlobStore, ByteRange, StagedBlob, WriteTransaction } from "../../core/ports.ts";
import { yieldToEventLoop } from "../../core/event_loop.ts";
import { blobPath, isDigest } from "./paths.ts";
import type { ContentTasks } from "./content_tasks.ts";
import {
  makeDirectorySync,
  orMissing,
  orMissingSync,
  readFull,
  removeFile,
  syncDirectory,
} from "../disk/files.ts";
import { Receiver } from "./ingest.ts";
import { StagedFile } from "./staging.ts";
import { asStorageFull } from "../disk/full.ts";
import { WorkerPool } from "../threads/pool.ts";
import { WORKERS } from "../threads/workers.ts";

/** Files are read in pieces of this size. */
const READ_BYTES = 256 * 1024;
/** How many files are given their places before others get a turn. */
const PLACED_AT_A_TIME = 64;
/** More threads than this would not be fed by one serving thread. */
const MAX_WORKERS = 8;

/**
 * Content in files below `blobs/`, a file a digest (C 12). Files come in by way of `tmp/`: written
 * and synced there, they are renamed into place within the transaction that adds their record.
 */
export class DirectoryBlobStore implements BlobStore, Disposable {
  needsSweep = false;
  readonly #root: string;
  readonly #temporary: string;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #receiver: Receiver;
  /** Directories whose way down from the root is known to be on the disk. */
  readonly #durable = new Set<string>();

  private constructor(root: string, temporary: string) {
    this.#root = root;
    this.#temporary = temporary;
    this.#pool = new WorkerPool(
      WORKERS.content,
      Math.min(navigator.hardwareConcurrency, MAX_WORKERS),
    );
    this.#receiver = new Receiver(this.#pool);
  }

  /**
   * Opens the store below `dataDir`, which must exist, and empties its `tmp/`.
   *
   * @throws {Error} where `blobs/` or `tmp/` is no directory.
   */
  static async open(dataDir: string): Promise<DirectoryBlobStore> {
    const root = `${dataDir}/blobs`;
    const temporary = `${dataDir}/tmp`;
    makeDirectorySync(root);
    makeDirectorySync(temporary);
    for (const path of [root, temporary]) {
      // A link would lead to other files, and those in `tmp/` are about to be removed.
      if (!(await Deno.lstat(path)).isDirectory) throw new Error(`"${path}" is no directory`);
    }
    for await (const { name } of Deno.readDir(temporary)) {
      await Deno.remove(`${temporary}/${name}`, { recursive: true });
    }
    return new DirectoryBlobStore(root, temporary);
  }

  async stage(content: AsyncIterable<Chunk>): Promise<StagedBlob> {
    const path = `${this.#temporary}/${crypto.randomUUID()}`;
    try {
      const staged = new StagedFile(path, await this.#receiver.receive(content, path));
      // Here, and not in `place`, so that nobody's transaction waits for two files to be compared.
      await staged.shares(this.pathOf(staged.hash));
      return staged;
    } catch (error) {
      await removeFile(path);
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
        if (index % PLACED_AT_A_TIME === PLACED_AT_A_TIME - 1) await yieldToEventLoop();
        await this.#settle(blob, directories);
      }
    } catch (error) {
      throw asStorageFull(error);
    }
    transaction.beforeCommit(async () => {
      await Promise.all([...directories].map(syncDirectory));
      for (const directory of directories) this.#durable.add(directory);
    });
  }

  async remove(hashes: readonly string[]): Promise<void> {
    // All come to an end before the transaction does: a file that went later might be shared by then.
    const outcomes = await Promise.allSettled(hashes.map((hash) => this.#remove(hash)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #remove(hash: string): Promise<void> {
    const path = this.pathOf(hash);
    await removeFile(path);
    const fan = parentOf(path);
    if (!await removeEmpty(fan)) return;
    this.#durable.delete(fan);
    await removeEmpty(parentOf(fan));
  }

  async *hashes(): AsyncGenerator<readonly string[]> {
    for await (const first of Deno.readDir(this.#root)) {
      if (!first.isDirectory) continue;
      for await (const second of Deno.readDir(`${this.#root}/${first.name}`)) {
        if (!second.isDirectory) continue;
        const hashes: string[] = [];
        const fan = `${first.name}/${second.name}`;
        for await (const { name } of Deno.readDir(`${this.#root}/${fan}`)) {
          // What somebody else put here is left alone.
          if (isDigest(name) && blobPath(name) === `${fan}/${name}`) hashes.push(name);
        }
        yield hashes;
      }
    }
  }

  async sizeOf(hash: string): Promise<number | undefined> {
    return (await orMissing(Deno.stat(this.pathOf(hash))))?.size;
  }

  async open(hash: string, range: ByteRange): Promise<ContentReader | undefined> {
    const file = await orMissing(Deno.open(this.pathOf(hash)));
    return file && readRange(file, range);
  }

  async openDeflated(
    hash: string,
    { always }: { always: boolean },
  ): Promise<ContentReader | undefined> {
    const hired = this.#pool.acquire();
    const { remote } = hired;
    let id: number | undefined;
    try {
      id = await remote.deflate(this.pathOf(hash), always);
    } finally {
      if (id === undefined) hired[Symbol.dispose]();
    }
    if (id === undefined) return undefined;
    const deflation = id;
    return new ContentReader(
      () => remote.nextDeflated(deflation),
      async () => {
        hired[Symbol.dispose]();
        await remote.endDeflation(deflation);
      },
    );
  }

  /** Fails where no content could be received and given a place now. */
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
        // Where `blobs/` is a file nothing is in it, which is what the probe fails with.
        if (!(error instanceof Deno.errors.NotADirectory)) throw error;
      });
    }
  }

  /** Ends the threads. */
  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }

  /** Where content lies, or would lie. */
  pathOf(hash: string): string {
    return `${this.#root}/${blobPath(hash)}`;
  }

  /**
   * Gives one staged file its place, and notes the directories that are to be synced for it. Mostly
   * without waiting: these calls touch no disk, and a turn of the event loop for each would keep
   * everybody's next transaction waiting for longer than they take.
   */
  async #settle(blob: StagedBlob, directories: Set<string>): Promise<void> {
    if (!(blob instanceof StagedFile)) throw new TypeError("Not a blob of this store");
    const path = this.pathOf(blob.hash);
    const fan = parentOf(path);
    // Shared content, too: whoever placed it may have failed before the sync.
    directories.add(fan);
    if (!this.#durable.has(fan)) directories.add(parentOf(fan)).add(this.#root);
    if (orMissingSync(() => Deno.statSync(path)) !== undefined && await blob.shares(path)) return;
    if (orMissingSync(() => Deno.statSync(fan)) === undefined) {
      makeDirectorySync(parentOf(fan));
      makeDirectorySync(fan);
    }
    Deno.renameSync(blob.path, path);
    blob.placed = true;
  }
}

/** Reads a part of a file, one piece ahead, and closes it at the end. */
async function readRange(file: Deno.FsFile, { start, end }: ByteRange): Promise<ContentReader> {
  let left = end - start;
  const read = async (): Promise<Chunk | undefined> => {
    if (left === 0) return undefined;
    const chunk = await readFull(file, new Uint8Array(Math.min(left, READ_BYTES)));
    if (chunk.length === 0) throw new Error(`Stored content ends ${left} bytes too early`);
    left -= chunk.length;
    return chunk;
  };
  if (start > 0) await file.seek(start, Deno.SeekMode.Start);
  let ahead = read();
  // Its failure is met at the next call, if there is one.
  const settled = () => ahead.catch(() => {});
  settled();
  return new ContentReader(
    async () => {
      const chunk = await ahead;
      ahead = read();
      settled();
      return chunk;
    },
    async () => {
      await settled();
      file.close();
    },
  );
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Removes a directory with nothing in it; false where there is something, or no directory. */
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
