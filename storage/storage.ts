import { statfs } from "node:fs/promises";
import { DirectoryBlobStore } from "./blobs/directory_blob_store.ts";
import { keepTemporaryFilesIn } from "./database/connection.ts";
import { DirectoryLock } from "./disk/lock.ts";
import { orMissing, syncDirectory } from "./disk/files.ts";
import { SqliteResourceStore } from "./database/sqlite_resource_store.ts";
import { MIB } from "../schemas/units.ts";

/** What stands between the storage and being able to take a file. */
export interface StorageFault {
  readonly part: "database" | "blobs" | "disk";
  readonly problem: string;
}

/** The storage in one data directory (C 12), held for this process alone. */
export class Storage implements AsyncDisposable {
  readonly records: SqliteResourceStore;
  readonly blobs: DirectoryBlobStore;
  readonly #dataDir: string;
  readonly #lock: DirectoryLock;

  private constructor(
    dataDir: string,
    parts: { lock: DirectoryLock; records: SqliteResourceStore; blobs: DirectoryBlobStore },
  ) {
    this.#dataDir = dataDir;
    this.#lock = parts.lock;
    this.records = parts.records;
    this.blobs = parts.blobs;
    this.blobs.needsSweep = parts.lock.afterCrash;
  }

  /**
   * Opens the storage below `dataDir`, making what is missing.
   *
   * @throws {Error} where another server holds the directory, or what is in it does not fit together.
   */
  static async open(dataDir: string): Promise<Storage> {
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await refuseForeign(dataDir);
    await using opened = new AsyncDisposableStack();
    const lock = opened.use(await DirectoryLock.take(dataDir));
    const blobs = opened.use(await DirectoryBlobStore.open(dataDir));
    const records = opened.use(await SqliteResourceStore.open(`${dataDir}/strongroom.db`));
    // Recovery is about to remove what no record holds: the records had better all be there.
    if (lock.afterCrash) await records.checkIntegrity();
    if (records.isNew && await hasContent(blobs)) {
      throw new Error(
        `The database of "${dataDir}" is missing or empty, but there is content in its blobs/: ` +
          "put strongroom.db back, or move blobs/ away to begin anew",
      );
    }
    await syncDirectory(dataDir);
    opened.move();
    return new Storage(dataDir, { lock, records, blobs });
  }

  /**
   * Has SQLite put its temporary files into the data directory, too: those of all storage in this
   * process, so that there had better be one.
   */
  keepTemporaryFiles(): void {
    keepTemporaryFilesIn(`${this.#dataDir}/tmp`);
  }

  /** What keeps the storage from taking a file now, if anything (C 1). `minFreeMB` counts 2^20 bytes. */
  async fault(minFreeMB: number): Promise<StorageFault | undefined> {
    const checks: readonly [StorageFault["part"], () => Promise<void>][] = [
      ["database", () => this.records.write(() => Promise.resolve())],
      ["blobs", () => this.blobs.probe()],
      ["disk", () => this.#checkDisk(minFreeMB)],
    ];
    for (const [part, check] of checks) {
      try {
        await check();
      } catch (error) {
        return { part, problem: error instanceof Error ? error.message : String(error) };
      }
    }
    return undefined;
  }

  /** Waits for the transactions under way, then closes everything and lets go of the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _lock = this.#lock;
    using _blobs = this.blobs;
    await this.records[Symbol.asyncDispose]();
    if (!this.blobs.needsSweep) await this.#lock.stopInOrder();
  }

  async #checkDisk(minFreeMB: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#dataDir);
    const freeMB = Math.floor(bavail * bsize / MIB);
    if (freeMB < minFreeMB) throw new Error(`${freeMB} MB are free, fewer than ${minFreeMB}`);
  }
}

async function hasContent(blobs: DirectoryBlobStore): Promise<boolean> {
  for await (const hashes of blobs.hashes()) if (hashes.length > 0) return true;
  return false;
}

/**
 * Refuses a directory that has a `tmp/` of somebody else: it would be emptied (C 12). One in which a
 * server has been has a lock.
 */
async function refuseForeign(dataDir: string): Promise<void> {
  if (await orMissing(Deno.lstat(`${dataDir}/lock`)) !== undefined) return;
  if (await orMissing(Deno.lstat(`${dataDir}/tmp`)) === undefined) return;
  for await (const { name } of Deno.readDir(`${dataDir}/tmp`)) {
    throw new Error(
      `"${dataDir}" can't be a data directory: its tmp/, which would be emptied, ` +
        `holds ${JSON.stringify(name)} of somebody else`,
    );
  }
}
