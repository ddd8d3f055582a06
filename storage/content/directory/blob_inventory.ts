import { blobDirectory } from "../../disk/data_directory.ts";
import { orMissingSync } from "../../disk/files.ts";
import { FILES_ONLY } from "../../threads/permissions.ts";
import { WorkerPool } from "../../threads/pool.ts";
import { WORKERS } from "../../threads/workers.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { ContentDigest } from "../hasher.ts";
import { blobPath, digestsBelow } from "../paths.ts";

/** Content is read in steps of this size, after each of which progress is shown. */
const STEP_BYTES = 8 * 1024 * 1024;

/** A stored file. */
export interface StoredFile {
  readonly size: number;
  /** When it was stored, in milliseconds since the Unix epoch; undefined if that is unknown. */
  readonly storedAt: number | undefined;
  /** Differs from that of any other file that may replace this one. */
  readonly identity: string;
}

/** Reads the content of a data directory, which a server may use meanwhile. */
export class BlobInventory implements Disposable {
  readonly #root: string;
  readonly #pool: WorkerPool<ContentTasks>;

  constructor(dataDir: string) {
    this.#root = blobDirectory(dataDir);
    this.#pool = new WorkerPool(WORKERS.content, navigator.hardwareConcurrency, FILES_ONLY);
  }

  /** The sorted hashes of all content whose hash begins with a prefix of two digits. */
  hashesBelow(prefix: string): string[] {
    return digestsBelow(this.#root, prefix);
  }

  pathOf(hash: string): string {
    return `${this.#root}/${blobPath(hash)}`;
  }

  find(hash: string): StoredFile | undefined {
    const info = orMissingSync(() => Deno.lstatSync(this.pathOf(hash)));
    const storedAt = info?.ctime?.getTime();
    return info && { size: info.size, storedAt, identity: `${info.ino} ${storedAt}` };
  }

  /**
   * Reads content and hashes it; undefined if it is missing.
   *
   * @param onBytes Called with the number of bytes that were read since the last call.
   * @throws {Error} when it cannot be read.
   */
  async digest(hash: string, onBytes: (bytes: number) => void): Promise<ContentDigest | undefined> {
    using worker = this.#pool.acquire();
    const id = await worker.remote.openHashing(this.pathOf(hash));
    if (id === undefined) return undefined;
    try {
      for (;;) {
        const bytes = await worker.remote.hashNext(id, STEP_BYTES);
        if (bytes === 0) break;
        onBytes(bytes);
      }
    } catch (error) {
      await worker.remote.finishHashing(id);
      throw error;
    }
    return await worker.remote.finishHashing(id);
  }

  /** Ends the worker threads. */
  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
