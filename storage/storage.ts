import { statfs } from "node:fs/promises";
import type { ContentLocation } from "../schemas/content_url.ts";
import { DirectoryBlobStore } from "./blobs/directory_blob_store.ts";
import { setTempDirectory } from "./database/connection.ts";
import { OLDER_DATABASE } from "./database/generation.ts";
import { Ballast } from "./disk/ballast.ts";
import { databasePath, refuseUnfinishedRestore } from "./disk/data_directory.ts";
import { DirectoryLock } from "./disk/lock.ts";
import { orMissing, syncDirectory } from "./disk/files.ts";
import { SqliteResourceStore } from "./database/sqlite_resource_store.ts";
import type { ContentStore } from "./ports/content_store.ts";
import { olderDatabase } from "./older_database.ts";
import { MIB } from "../schemas/units.ts";

/** A problem that keeps the storage from accepting files. */
export interface StorageFault {
  readonly part: "database" | "blobs" | "disk";
  readonly problem: string;
}

/** The object store that keeps content, and what signs requests to it. */
export interface ContentSettings {
  readonly location: ContentLocation;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
  /** Called with failures that clients do not see. @default does nothing */
  readonly onFailure?: (error: unknown) => void;
}

export interface StorageOptions {
  /** Where large content is kept. @default the data directory */
  readonly content?: ContentSettings | undefined;
  /** Uploads are refused while less than this is free, in units of 2^20 bytes. @default 64 */
  readonly reserveMB?: number;
  /** Whether a database that has lost changes is accepted (C 22). @default false */
  readonly acceptDamage?: boolean;
  /** See {@link ResourceStoreOptions.resultsVersion}. */
  readonly resultsVersion?: string;
  /** See {@link ResourceStoreOptions.onFatal}. */
  readonly onFatal?: (error: Error) => void;
  /** See {@link ResourceStoreOptions.maxDirectRecords}. */
  readonly maxDirectRecords?: number;
}

const DEFAULT_RESERVE_MB = 64;

interface StorageParts {
  readonly lock: DirectoryLock;
  readonly ballast: Ballast;
  readonly records: SqliteResourceStore;
  readonly blobs: ContentStore;
}

/** The storage in one data directory (C 12), which only this process may use. */
export class Storage implements AsyncDisposable {
  readonly records: SqliteResourceStore;
  readonly blobs: ContentStore;
  readonly #dataDir: string;
  readonly #reserveMB: number;
  readonly #lock: DirectoryLock;
  readonly #ballast: Ballast;

  private constructor(
    { dataDir, reserveMB }: { dataDir: string; reserveMB: number },
    parts: StorageParts,
  ) {
    this.#dataDir = dataDir;
    this.#reserveMB = reserveMB;
    this.#lock = parts.lock;
    this.#ballast = parts.ballast;
    this.records = parts.records;
    this.blobs = parts.blobs;
    this.blobs.needsSweep = mayDisagree(parts);
  }

  /**
   * Whether the database knows all content that may be without a record, and no content is missing.
   * Unlike this, a copy of a directory may lack content.
   */
  get sealed(): boolean {
    return this.#lock.sealed;
  }

  /** Call it when records and content have been made to agree. */
  seal(): void {
    this.#lock.sealed = true;
  }

  /**
   * Opens the storage below `dataDir`, and creates what is missing.
   *
   * @throws {Error} when another server holds the directory, its database is damaged, missing, or
   *   older than the lock, or its `tmp/` holds foreign files.
   */
  static async open(dataDir: string, options: StorageOptions = {}): Promise<Storage> {
    const { reserveMB = DEFAULT_RESERVE_MB } = options;
    await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await refuseUnfinishedRestore(dataDir);
    await refuseForeign(dataDir);
    const reserveBytes = reserveMB * MIB;
    await using opened = new AsyncDisposableStack();
    const ballast = new Ballast(dataDir, reserveBytes);
    const lock = opened.use(await DirectoryLock.acquire(dataDir, () => ballast.release()));
    const records = opened.use(await openRecords(dataDir, { lock, reserveBytes, options }));
    const blobs = opened.use(
      await openContent(dataDir, { records, reserveBytes, content: options.content }),
    );
    if (records.before.generation !== lock.generation) lock.sealed = false;
    // Comparing everything removes content without a record, so all records must be readable.
    await records.check({ whole: !lock.sealed });
    if (mayDisagree({ lock, records })) await records.restartLog();
    if (records.before.isNew && await hasContent(blobs)) {
      throw new Error(
        `The database of "${dataDir}" is missing or empty, but its blobs/ holds content: ` +
          "restore strongroom.db, or move blobs/ away to start empty",
      );
    }
    await syncDirectory(dataDir);
    if (records.before.generation < lock.generation) {
      await records.upkeep.raiseGeneration(lock.generation);
    }
    opened.move();
    return new Storage({ dataDir, reserveMB }, { lock, ballast, records, blobs });
  }

  /**
   * Makes SQLite keep its temporary files in the data directory. Applies to the whole process, so
   * call it for one storage only.
   */
  useOwnTempDirectory(): void {
    setTempDirectory(`${this.#dataDir}/tmp`);
  }

  /**
   * Checks whether the storage can accept a file now, and returns the first problem found (C 1).
   * `minFreeMB` is in units of 2^20 bytes.
   */
  async findFault(minFreeMB: number): Promise<StorageFault | undefined> {
    const checks: readonly [StorageFault["part"], () => Promise<void>][] = [
      ["database", () => this.records.probe()],
      ["blobs", () => this.blobs.probe()],
      ["disk", () => this.#checkDisk(Math.max(minFreeMB, this.#reserveMB))],
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

  /** Waits for pending transactions, closes everything and releases the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _lock = this.#lock;
    await using _blobs = this.blobs;
    await this.records[Symbol.asyncDispose]();
    if (!this.blobs.needsSweep) await this.#lock.markCleanStop();
    this.#ballast.keep();
  }

  async #checkDisk(minFreeMB: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#dataDir);
    const freeMB = Math.floor(bavail * bsize / MIB);
    if (freeMB < minFreeMB) throw new Error(`${freeMB} MiB free, fewer than ${minFreeMB}`);
  }
}

/**
 * Whether content and records may disagree: after a crash, in a copy of a directory, and with another
 * database than the one that the last server left.
 */
function mayDisagree({ lock, records }: Pick<StorageParts, "lock" | "records">): boolean {
  return lock.afterCrash || records.before.generation !== lock.generation;
}

interface OpeningParts {
  readonly lock: DirectoryLock;
  readonly reserveBytes: number;
  readonly options: StorageOptions;
}

async function openRecords(
  dataDir: string,
  {
    lock,
    reserveBytes,
    options: { acceptDamage = false, resultsVersion, onFatal, maxDirectRecords },
  }: OpeningParts,
): Promise<SqliteResourceStore> {
  try {
    return await SqliteResourceStore.open(databasePath(dataDir), {
      reserveBytes,
      temporaryDirectory: `${dataDir}/tmp`,
      resultsVersion,
      minGeneration: acceptDamage ? 0 : lock.generation,
      onGeneration: (generation) => lock.recordGeneration(generation),
      ...(onFatal !== undefined && { onFatal }),
      ...(maxDirectRecords !== undefined && { maxDirectRecords }),
    });
  } catch (error) {
    const isOlder = error instanceof Error && "code" in error && error.code === OLDER_DATABASE;
    throw isOlder ? olderDatabase(dataDir, lock.generation) : error;
  }
}

/** Loads nothing for object stores unless there is one. */
async function openContent(
  dataDir: string,
  { records, reserveBytes, content }: {
    readonly records: SqliteResourceStore;
    readonly reserveBytes: number;
    readonly content: ContentSettings | undefined;
  },
): Promise<ContentStore> {
  const { contents, objectTable: objects } = records;
  if (content === undefined) {
    if (await objects.hasObjects()) {
      throw new Error(
        `The content of "${dataDir}" is in an object store: set STRONGROOM_CONTENT_URL`,
      );
    }
    return await DirectoryBlobStore.open(dataDir, { contents, reserveBytes });
  }
  const { S3BlobStore } = await import("./s3/s3_blob_store.ts");
  return await S3BlobStore.open(dataDir, { ...content, objects, reserveBytes });
}

async function hasContent(blobs: ContentStore): Promise<boolean> {
  for await (const { hashes } of blobs.hashes()) if (hashes.length > 0) return true;
  return false;
}

/**
 * Refuses a directory whose `tmp/` holds foreign files, because opening it empties `tmp/` (C 12). A
 * directory that a server has used before has a lock file.
 */
async function refuseForeign(dataDir: string): Promise<void> {
  if (await orMissing(Deno.lstat(`${dataDir}/lock`)) !== undefined) return;
  if (await orMissing(Deno.lstat(`${dataDir}/tmp`)) === undefined) return;
  for await (const { name } of Deno.readDir(`${dataDir}/tmp`)) {
    throw new Error(
      `Cannot use "${dataDir}" as a data directory: its tmp/ would be emptied, ` +
        `but holds the foreign file ${JSON.stringify(name)}`,
    );
  }
}
