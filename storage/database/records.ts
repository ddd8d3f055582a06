import type {
  CollectionRoots,
  FileCollection,
  ListQuery,
  NewRecord,
  ResourceRecord,
  ResourceStore,
  Scope,
  TransferEffect,
  WriteOptions,
  WriteTransaction,
} from "../../core/ports.ts";
import { type BeforeCommit, GroupCommit } from "./group_commit.ts";
import type { Reader } from "./reader.ts";
import { type Remote, RemoteWorker } from "../threads/rpc.ts";
import { SqliteScanStore } from "./scans.ts";
import type { Writer } from "./writer.ts";
import { WORKERS } from "../threads/workers.ts";

/** How long a reader of a listing may take between two batches, in milliseconds. */
const LIST_STALL_MS = 20 * 60_000;
/** How many records the writer tells of at a time, so that its reply does not hold up this thread. */
const SLICE = 1000;

export interface RecordsOptions {
  /** @default 1200000 */
  readonly listStallMs?: number;
}

/** The records in a SQLite file, read and written in threads of their own. */
export class SqliteResourceStore implements ResourceStore, AsyncDisposable {
  readonly #listStallMs: number;
  readonly #writer = new RemoteWorker<Writer>(WORKERS.writer);
  /** Listings and collections have a thread of their own: lookups wait for nobody's sorting. */
  readonly #reader = new RemoteWorker<Reader>(WORKERS.reader);
  readonly #lookups = new RemoteWorker<Reader>(WORKERS.reader);
  readonly #commits = new GroupCommit(this.#writer.remote);

  /** The scans in the same file. */
  readonly scans: SqliteScanStore;
  #isNew = false;

  private constructor(path: string, options: RecordsOptions) {
    this.#listStallMs = options.listStallMs ?? LIST_STALL_MS;
    this.scans = new SqliteScanStore({
      database: path,
      writer: this.#writer.remote,
      reader: this.#lookups.remote,
      commits: this.#commits,
    });
  }

  /** Opens the database file, making or migrating it where needed. */
  static async open(path: string, options: RecordsOptions = {}): Promise<SqliteResourceStore> {
    const store = new SqliteResourceStore(path, options);
    try {
      await makePrivate(path);
      store.#isNew = await store.#writer.remote.open(path);
      await store.#reader.remote.open(path);
      await store.#lookups.remote.open(path);
    } catch (error) {
      store.#end();
      throw error;
    }
    return store;
  }

  /** Whether there was no database before it was opened. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /**
   * Reads all of the database.
   *
   * @throws {Error} where something in it is damaged.
   */
  checkIntegrity(): Promise<void> {
    return this.#writer.remote.checkIntegrity();
  }

  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    return this.#lookups.remote.findByPath(scope, paths);
  }

  findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>> {
    return this.#lookups.remote.findById(scope, ids);
  }

  async *list(query: ListQuery): AsyncGenerator<readonly ResourceRecord[]> {
    const reader = this.#reader.remote;
    let { records, cursor } = await reader.openList(query);
    try {
      while (cursor !== undefined) {
        const place = cursor;
        // An open listing keeps SQLite from reusing its log; nobody may hold it for ever.
        const stalled = setTimeout(() => reader.closeList(place), this.#listStallMs);
        try {
          yield records;
        } finally {
          clearTimeout(stalled);
        }
        ({ records, cursor } = await reader.nextBatch(place));
      }
      yield records;
    } finally {
      if (cursor !== undefined) await reader.closeList(cursor);
    }
  }

  async collectFiles(roots: CollectionRoots): Promise<FileCollection> {
    const reader = this.#reader.remote;
    const { id, sharedPath } = await reader.openCollection(roots);
    return {
      sharedPath,
      async *pages() {
        let after = "";
        for (;;) {
          const page = await reader.collectionPage(id, after);
          const last = page.at(-1);
          if (last === undefined) return;
          yield page;
          after = last.path;
        }
      },
      setPackedSize: (path, bytes) => reader.setPackedSize(id, path, bytes),
      [Symbol.asyncDispose]: () => reader.closeCollection(id),
    };
  }

  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    options: WriteOptions<T> = {},
  ): Promise<T> {
    return this.#commits.run(
      (beforeCommit) => work(transactionOn(this.#writer.remote, beforeCommit)),
      options,
    );
  }

  /** Waits for the transactions under way, then closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commits.idle();
    await this.#reader.remote.close();
    await this.#lookups.remote.close();
    // Last, for the last connection to close is the one that empties the log.
    await this.#writer.remote.close();
    this.#end();
  }

  #end(): void {
    this.#reader[Symbol.dispose]();
    this.#lookups[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }
}

/** Makes the file for its owner alone; SQLite gives the files beside it the same mode. */
async function makePrivate(path: string): Promise<void> {
  using _file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  await Deno.chmod(path, 0o600);
}

function transactionOn(writer: Remote<Writer>, beforeCommit: BeforeCommit): WriteTransaction {
  return {
    beforeCommit,
    findByPath: (scope, paths) => writer.findByPath(scope, paths),
    insert: async (records: readonly NewRecord[]) =>
      records.length === 0 ? [] : await writer.insert(records),
    async deleteSubtrees(roots) {
      const deleted: ResourceRecord[] = [];
      for (const root of roots) {
        for (let slice = SLICE; slice >= SLICE;) {
          const records = await writer.deleteSlice(root, SLICE);
          for (const record of records) deleted.push(record);
          slice = records.length;
        }
      }
      return deleted;
    },
    async moveSubtrees(placements, now) {
      await writer.moveSubtrees(placements, now);
      return await effectsOf(writer);
    },
    async copySubtrees(placements, now) {
      await writer.copySubtrees(placements, now);
      return await effectsOf(writer);
    },
    unreferenced: (hashes) => writer.unreferenced(hashes),
  };
}

async function effectsOf(writer: Remote<Writer>): Promise<TransferEffect[]> {
  const effects: TransferEffect[] = [];
  for (let slice = SLICE; slice >= SLICE;) {
    const taken = await writer.takeEffects(SLICE);
    for (const effect of taken) effects.push(effect);
    slice = taken.length;
  }
  return effects;
}
