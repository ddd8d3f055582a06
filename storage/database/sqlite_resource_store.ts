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
import { ContentTable } from "./content_table.ts";
import { type BeforeCommit, GroupCommit } from "./group_commit.ts";
import { PointReader } from "./point_reader.ts";
import type { Reader } from "./reader.ts";
import { type Remote, RemoteWorker } from "../threads/rpc.ts";
import { SqliteScanStore } from "./sqlite_scan_store.ts";
import { SqliteUpkeepStore } from "./sqlite_upkeep_store.ts";
import { OUTCOME_UNKNOWN } from "./transactions.ts";
import type { DatabaseState, Writer } from "./writer.ts";
import { WORKERS } from "../threads/workers.ts";

/** A listing ends if its reader takes longer than this between two batches. */
const LIST_STALL_MS = 20 * 60_000;
/** The writer returns this many records at a time: a longer reply would block this thread. */
const BATCH_RECORDS = 1000;

export interface ResourceStoreOptions {
  /** How long the reader of a listing may take between two batches. @default 1200000 */
  readonly listStallMs?: number;
  /** The space that uploads leave free. Part of it is kept for the log. @default 0 */
  readonly reserveBytes?: number;
  /** A database with a lower generation is refused. @default 0 */
  readonly minGeneration?: number;
  /** Called with the generation after a commit that has advanced it. @default does nothing */
  readonly onGeneration?: (generation: number) => void;
  /**
   * Called when the outcome of a commit is unknown. Its requests get no reply, and nothing more is
   * written: the process must end. @default throws the error where nothing catches it
   */
  readonly onFatal?: (error: Error) => void;
}

/** Keeps records in a SQLite file. Worker threads read and write it. */
export class SqliteResourceStore implements ResourceStore, AsyncDisposable {
  readonly #listStallMs: number;
  readonly #writer = new RemoteWorker<Writer>(WORKERS.writer);
  /** Serves listings and collections, so that lookups do not wait for their sorting. */
  readonly #reader = new RemoteWorker<Reader>(WORKERS.reader);
  readonly #lookups = new RemoteWorker<Reader>(WORKERS.reader);
  readonly #points: PointReader;
  readonly #commits: GroupCommit;

  /** Scans in the same file. */
  readonly scans: SqliteScanStore;
  readonly upkeep: SqliteUpkeepStore;
  #before: DatabaseState = { isNew: false, generation: 0 };
  /** Contents in the same file. */
  readonly contents: ContentTable;

  private constructor(path: string, options: ResourceStoreOptions) {
    const { onFatal = throwUncaught, onGeneration = () => {} } = options;
    this.#listStallMs = options.listStallMs ?? LIST_STALL_MS;
    const { remote } = this.#writer;
    this.#commits = new GroupCommit({
      begin: () => remote.begin(),
      savepoint: () => remote.savepoint(),
      rollbackWork: () => remote.rollbackWork(),
      rollback: () => remote.rollback(),
      commit: () => this.#commit(onFatal, onGeneration),
    });
    this.#points = new PointReader(path);
    this.contents = new ContentTable({
      writer: this.#writer.remote,
      reader: this.#lookups.remote,
      points: this.#points,
    });
    this.scans = new SqliteScanStore({
      database: path,
      writer: this.#writer.remote,
      reader: this.#lookups.remote,
      commits: this.#commits,
    });
    this.upkeep = new SqliteUpkeepStore({
      writer: remote,
      reader: this.#lookups.remote,
      commits: this.#commits,
    });
  }

  /**
   * Opens the database file; creates and migrates it as needed.
   *
   * @throws {Error} with the code {@link OLDER_DATABASE} when its generation is too low.
   */
  static async open(
    path: string,
    options: ResourceStoreOptions = {},
  ): Promise<SqliteResourceStore> {
    const store = new SqliteResourceStore(path, options);
    try {
      await makePrivate(path);
      const { reserveBytes = 0, minGeneration = 0 } = options;
      store.#before = await store.#writer.remote.open(path, { reserveBytes, minGeneration });
      await store.#reader.remote.open(path);
      await store.#lookups.remote.open(path);
    } catch (error) {
      store.#end();
      throw error;
    }
    return store;
  }

  /** The database as it was before it was opened. */
  get before(): DatabaseState {
    return this.#before;
  }

  /**
   * Checks the whole database after a crash, and starts its log anew.
   *
   * @throws {Error} when it is damaged.
   */
  async checkAfterCrash(): Promise<void> {
    await this.#writer.remote.checkIntegrity();
    await this.#writer.remote.restartLog();
  }

  /**
   * Checks the paths of the records, in little time.
   *
   * @throws {Error} when one is damaged.
   */
  checkPaths(): Promise<void> {
    return this.#writer.remote.checkPaths();
  }

  /**
   * Commits, and changes nothing.
   *
   * @throws {Error} when the database cannot be written.
   */
  async probe(): Promise<void> {
    await this.#commits.run(() => this.#writer.remote.touch());
  }

  async findByPath(
    scope: Scope,
    paths: readonly string[],
  ): Promise<Map<string, ResourceRecord>> {
    return this.#points.findByPath(scope, paths) ??
      await this.#lookups.remote.findByPath(scope, paths);
  }

  async findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>> {
    return this.#points.findById(scope, ids) ?? await this.#lookups.remote.findById(scope, ids);
  }

  async *list(query: ListQuery): AsyncGenerator<readonly ResourceRecord[]> {
    const few = this.#points.shortList(query);
    if (few !== undefined) return yield few;
    const reader = this.#reader.remote;
    let { records, cursor } = await reader.openList(query);
    try {
      while (cursor !== undefined) {
        const current = cursor;
        // An open listing keeps SQLite from reusing its log, so a stalled reader loses it.
        const stalled = setTimeout(() => reader.closeList(current), this.#listStallMs);
        try {
          yield records;
        } finally {
          clearTimeout(stalled);
        }
        ({ records, cursor } = await reader.nextBatch(current));
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
      setPackedSizes: (sizes) => reader.setPackedSizes(id, sizes),
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

  /** Waits for pending transactions, then closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#commits.idle();
    this.#points[Symbol.dispose]();
    await this.#reader.remote.close();
    await this.#lookups.remote.close();
    // Close the writer last: the last connection to close checkpoints the log.
    await this.#writer.remote.close();
    this.#end();
  }

  async #commit(
    onFatal: (error: Error) => void,
    onGeneration: (generation: number) => void,
  ): Promise<void> {
    try {
      const generation = await this.#writer.remote.commit();
      if (generation !== undefined) onGeneration(generation);
    } catch (error) {
      if (this.#writer.alive && !isOutcomeUnknown(error)) throw error;
      onFatal(error instanceof Error ? error : new Error(String(error)));
      // A reply would promise that nothing changed, and further work might remove content.
      await new Promise(() => {});
    }
  }

  #end(): void {
    this.#reader[Symbol.dispose]();
    this.#lookups[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === OUTCOME_UNKNOWN;
}

function throwUncaught(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Creates the file with access for its owner only. SQLite gives its companion files the same mode. */
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
        for (let count = BATCH_RECORDS; count >= BATCH_RECORDS;) {
          const batch = await writer.deleteBatch(root, BATCH_RECORDS);
          for (const record of batch) deleted.push(record);
          count = batch.length;
        }
      }
      return deleted;
    },
    async moveSubtrees(placements, now) {
      await writer.planMove(placements, now);
      return await runPlan(writer);
    },
    async copySubtrees(placements, now) {
      await writer.planCopy(placements, now);
      return await runPlan(writer);
    },
    unreferenced: (hashes) => writer.unreferenced(hashes),
  };
}

async function runPlan(writer: Remote<Writer>): Promise<TransferEffect[]> {
  const effects: TransferEffect[] = [];
  for (let count = BATCH_RECORDS; count >= BATCH_RECORDS;) {
    const batch = await writer.runPlan(BATCH_RECORDS);
    for (const effect of batch) effects.push(effect);
    count = batch.length;
  }
  return effects;
}
