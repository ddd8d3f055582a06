import { StoreTotals } from "../content/objects/store_totals.ts";
import process from "node:process";
import { withinTime } from "../../core/event_loop.ts";
import { setTempDirectory } from "../sqlite/connection.ts";
import { Ballast } from "../disk/ballast.ts";
import { refuseUnfinished } from "../disk/data_directory.ts";
import { DirectoryLock } from "../disk/lock.ts";
import { orMissing } from "../disk/files.ts";
import type { ContentStore } from "../content/content_store.ts";
import type { RecordStore } from "../tables/record_store.ts";
import type { OpenedStores, StorageOptions } from "./opening.ts";
import { MIB } from "../../schemas/units.ts";

/** A problem that keeps the storage from accepting files. */
export interface StorageFault {
  readonly part: "database" | "blobs" | "disk";
  readonly problem: string;
}

const DEFAULT_RESERVE_MB = 64;

/** How long an engine may take to answer a probe, in milliseconds (C 31). */
export const MAX_PROBE_MS = 2000;

interface StorageParts extends OpenedStores {
  readonly lock: DirectoryLock;
  readonly ballast: Ballast;
  readonly store: StoreTotals | undefined;
}

/**
 * The storage of a server: one data directory (C 12), which only this process may use, with the database and
 * the object store that keep records and content instead, if there are any (C 23).
 */
export class Storage implements AsyncDisposable {
  readonly records: RecordStore;
  readonly blobs: ContentStore;
  /** The requests to the object store, if there is one. */
  readonly store: StoreTotals | undefined;
  readonly #dataDir: string;
  readonly #reserveMB: number;
  readonly #lock: DirectoryLock;
  readonly #ballast: Ballast;
  /** Probes that run. One that hangs is not joined by others. */
  readonly #probes = new Map<StorageFault["part"], Promise<void>>();

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
    this.store = parts.store;
    this.blobs.needsSweep = parts.mayDisagree;
  }

  /**
   * Whether the database knows all content that may be without a record, and no content is missing.
   * Unlike this, a copy of a directory may lack content.
   */
  get sealed(): boolean {
    return this.#lock.sealed;
  }

  /** Call it when records and content have been made to agree. */
  seal(): Promise<void> {
    return this.#lock.setSealed(true);
  }

  /** Call it when the server is about to stop: a start waits for it then. */
  announceStop(): Promise<void> {
    return this.#lock.announceStop();
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
    if (!options.acceptUnfinished) await refuseUnfinished(dataDir);
    await refuseForeign(dataDir);
    const reserveBytes = reserveMB * MIB;
    await using opened = new AsyncDisposableStack();
    const ballast = new Ballast(dataDir, reserveBytes);
    const lock = opened.use(
      await DirectoryLock.acquire(dataDir, {
        makeRoom: () => ballast.release(1),
        ...(options.stopping !== undefined && { stopping: options.stopping }),
      }),
    );
    const { openStores } = options.database === undefined
      ? await import("./embedded_stores.ts")
      : await import("./shared_stores.ts");
    const store = options.content && new StoreTotals();
    const content = options.content && { ...options.content, requests: { totals: store } };
    const stores = await openStores(dataDir, {
      lock,
      reserveBytes,
      options: { ...options, content },
    });
    opened.move();
    return new Storage({ dataDir, reserveMB }, { lock, ballast, store, ...stores });
  }

  /**
   * Makes SQLite keep its temporary files in the data directory. Applies to the whole process, so
   * call it for one storage only.
   */
  useOwnTempDirectory(): void {
    setTempDirectory(`${this.#dataDir}/tmp`);
  }

  /**
   * Checks whether the storage can accept a file now, and returns the first problem found (C 1). Takes
   * {@link MAX_PROBE_MS} at most. `minFreeMB` is in units of 2^20 bytes.
   */
  async findFault(minFreeMB: number): Promise<StorageFault | undefined> {
    const faults = await Promise.all([
      this.#faultOf("database", () => this.records.probe()),
      this.#faultOf("blobs", () => this.blobs.probe()),
      this.#faultOf("disk", () => this.#checkDisk(Math.max(minFreeMB, this.#reserveMB))),
    ]);
    return faults.find((fault) => fault !== undefined);
  }

  async #faultOf(
    part: StorageFault["part"],
    probe: () => Promise<void>,
  ): Promise<StorageFault | undefined> {
    const running = this.#probes.get(part) ?? probe().finally(() => this.#probes.delete(part));
    this.#probes.set(part, running);
    try {
      await withinTime(running, MAX_PROBE_MS);
      return undefined;
    } catch (error) {
      return { part, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Waits for pending transactions, closes everything and releases the directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    using _lock = this.#lock;
    await using _blobs = this.blobs;
    await this.blobs.stop();
    await this.records[Symbol.asyncDispose]();
    if (!this.blobs.needsSweep) await this.#lock.markCleanStop();
    this.#ballast.keep();
  }

  async #checkDisk(minFreeMB: number): Promise<void> {
    // An import would load all that the module offers at each start.
    const { statfs } = process.getBuiltinModule("node:fs/promises");
    const { bavail, bsize } = await statfs(this.#dataDir);
    const freeMB = Math.floor(bavail * bsize / MIB);
    if (freeMB < minFreeMB) throw new Error(`${freeMB} MiB free, fewer than ${minFreeMB}`);
  }
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
