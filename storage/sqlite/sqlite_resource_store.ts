import type {
  CollectionRoots,
  FileCollection,
  ItemsJson,
  ListQuery,
  LocatedLookup,
  LocatedRecord,
  ResourceRecord,
  Scope,
  WriteOptions,
  WriteTransaction,
} from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { DecidedUploads } from "../../core/decided_upload.ts";
import { entriesJson } from "../../core/entries.ts";
import { SCANNERS_VERSION } from "../../core/scanner/mod.ts";
import { Busy, TooLarge } from "./change_refused.ts";
import { SqliteContentTable } from "./content_table.ts";
import { DavHints } from "./dav_hints.ts";
import type { GroupCommit } from "./group_commit.ts";
import { LargeChanges, MAX_DIRECT_RECORDS } from "./large_changes.ts";
import { LongReads } from "./long_reads.ts";
import { measureDatabase } from "./measures.ts";
import { PointReader } from "./point_reader.ts";
import { patientCalls } from "./patient_calls.ts";
import { ReaderThread } from "./reader_thread.ts";
import { ShortReads } from "./short_reads.ts";
import { makePrivate } from "../disk/files.ts";
import { parentPath } from "../disk/parent_path.ts";
import { TemporaryFiles } from "../disk/temporary_files.ts";
import type { DatabaseMeasures, RecordStore } from "../tables/record_store.ts";
import { RemoteWorker } from "../threads/rpc.ts";
import { SqlTensorStore } from "../tables/tensor_store.ts";
import { SqlDavStore } from "../tables/dav_store.ts";
import { SqlCredentialStore } from "../tables/credential_store.ts";
import { SqlHistoryStore } from "../tables/history_store.ts";
import { SqlHubStore } from "../tables/hub_store.ts";
import { SqlLfsObjectStore } from "../tables/lfs_object_store.ts";
import { SqlS3Store } from "../tables/s3_store.ts";
import { SqlLinkStore } from "../tables/link_store.ts";
import { SqlObjectTable } from "../tables/object_table.ts";
import { SqlMirrorStore } from "../tables/mirror_store.ts";
import { SqlPeopleStore } from "../tables/people_store.ts";
import { SqlScanStore } from "../tables/scan_store.ts";
import { SqlSessionStore } from "../tables/session_store.ts";
import { SqlSignInStore } from "../tables/sign_in_store.ts";
import { SqlUploadStore } from "../tables/upload_store.ts";
import { SqlUpkeepStore } from "../tables/upkeep_store.ts";
import { currentResults, SqlVerdictStore } from "../tables/verdict_store.ts";
import { searchIndexOf } from "./search_index.ts";
import { statementsOf } from "./run_statements.ts";
import type { ResourceStoreOptions } from "./store_options.ts";
import type { DatabaseState, Writer } from "./writer.ts";
import { writerCommits } from "./writer_commits.ts";
import { WORKERS } from "../threads/workers.ts";

/** Keeps records in a SQLite file. Worker threads read and write it. */
export class SqliteResourceStore implements RecordStore, DecidedUploads, LocatedLookup {
  readonly #path: string;
  readonly #writer: RemoteWorker<Writer>;
  readonly #longReader: ReaderThread;
  readonly #lookups: ReaderThread;
  readonly #points: PointReader;
  readonly #commits: GroupCommit;
  readonly #largeChanges: LargeChanges;
  readonly #shortReads: ShortReads;
  readonly #longReads: LongReads;
  readonly #files: TemporaryFiles;
  readonly #davHints = new DavHints();

  readonly history: SqlHistoryStore;
  readonly scans: SqlScanStore;
  readonly upkeep: SqlUpkeepStore;
  #before: DatabaseState = { isNew: false, generation: 0 };
  readonly contents: SqliteContentTable;
  readonly verdicts: SqlVerdictStore;
  readonly hub: SqlHubStore;
  readonly tensors: SqlTensorStore;
  readonly dav: SqlDavStore;
  readonly links: SqlLinkStore;
  readonly mirror: SqlMirrorStore;
  readonly people: SqlPeopleStore;
  readonly s3: SqlS3Store;
  readonly sessions: SqlSessionStore;
  readonly signIns: SqlSignInStore;
  readonly credentials: SqlCredentialStore;
  readonly search: RecordStore["search"];
  readonly searchIndex: RecordStore["searchIndex"];
  readonly uploads: SqlUploadStore;
  readonly objects: SqlLfsObjectStore;
  readonly objectTable: SqlObjectTable;

  private constructor(path: string, options: ResourceStoreOptions) {
    this.#path = path;
    const version = options.resultsVersion ?? SCANNERS_VERSION;
    const results = currentResults(version);
    const directory = [parentPath(path)];
    // Besides the database, it keeps space for it on a full disk.
    const writing = { read: directory, write: directory, sys: ["statfs"] };
    this.#writer = new RemoteWorker(WORKERS.writer, writing);
    this.#longReader = new ReaderThread(path);
    this.#lookups = new ReaderThread(path);
    const { remote } = this.#writer;
    this.#commits = writerCommits(this.#writer, options);
    this.#files = new TemporaryFiles(options.temporaryDirectory ?? parentPath(path));
    const points = this.#points = new PointReader(path);
    const lookups = patientCalls(this.#longReader, this.#lookups);
    const parts = { writer: remote, reader: lookups, commits: this.#commits, points };
    this.contents = new SqliteContentTable(parts);
    this.#largeChanges = new LargeChanges({
      commits: this.#commits,
      writer: remote,
      lookups: this.#lookups,
      longReader: this.#longReader,
      files: this.#files,
      dav: this.#davHints,
      maxDirectRecords: options.maxDirectRecords ?? MAX_DIRECT_RECORDS,
    });
    this.#shortReads = new ShortReads({ points, lookups, largeChanges: this.#largeChanges });
    this.#longReads = new LongReads({
      longReader: this.#longReader,
      points,
      largeChanges: this.#largeChanges,
      results,
      listIdleMs: options.listIdleMs,
    });
    this.history = new SqlHistoryStore(statementsOf("history", parts), this.#longReads.past);
    this.scans = new SqlScanStore({
      statements: statementsOf("scans", parts),
      database: path,
      reports: this.#longReader,
      version,
    });
    this.verdicts = new SqlVerdictStore(statementsOf("verdicts", parts), results);
    this.tensors = new SqlTensorStore(statementsOf("tensors", parts));
    this.dav = new SqlDavStore(statementsOf("dav", parts));
    this.links = new SqlLinkStore(statementsOf("links", parts));
    this.mirror = new SqlMirrorStore(statementsOf("mirror", parts));
    this.people = new SqlPeopleStore(statementsOf("people", parts));
    this.s3 = new SqlS3Store(statementsOf("s3", parts));
    this.sessions = new SqlSessionStore(statementsOf("sessions", parts));
    this.signIns = new SqlSignInStore(statementsOf("signIns", parts));
    this.credentials = new SqlCredentialStore(
      statementsOf("credentials", parts),
      // Another process may have revoked one just now.
      (credential) => points.isRevoked(credential),
    );
    const uploads = statementsOf("uploads", parts);
    this.uploads = new SqlUploadStore(uploads);
    this.objects = new SqlLfsObjectStore(uploads);
    this.objectTable = new SqlObjectTable({
      statements: statementsOf("objects", parts),
      contents: this.contents,
      isShared: false,
    });
    this.upkeep = new SqlUpkeepStore(statementsOf("upkeep", parts));
    this.search = (query) => lookups.search({ ...query, results });
    this.searchIndex = searchIndexOf(parts);
    this.hub = new SqlHubStore({
      page: (request) => parts.reader.repositoryPage(request),
      blobIds: (hashes) => parts.reader.blobIds(hashes),
      repositories: (query) => parts.reader.repositories(query),
      versionOf: async () => {
        await this.#commits.published();
        return { epoch: "", changes: 0 };
      },
      // There are no other servers.
      keepRevision: () => Promise.resolve(),
      results,
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
      // SQLite gives its companion files the same mode.
      await makePrivate(path);
      const { reserveBytes = 0, minGeneration = 0 } = options;
      store.#before = await store.#writer.remote.open(path, { reserveBytes, minGeneration });
      store.#points.connect();
      store.#davHints.open((statement) => store.#points.rows(["dav", statement], {}));
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
   * Checks the whole database, or the paths of the records only, in little time.
   *
   * @throws {Error} when it is damaged.
   */
  check({ whole }: { whole: boolean }): Promise<void> {
    return whole ? this.#writer.remote.checkIntegrity() : this.#writer.remote.checkPaths();
  }

  /** {@link raiseGeneration} */
  async raiseGeneration(generation: number): Promise<void> {
    await this.#commits.run(() => this.#writer.remote.raiseGeneration(generation));
  }

  /** {@link Writer.restartLog} */
  restartLog(): Promise<void> {
    return this.#writer.remote.restartLog();
  }

  /**
   * Commits, and changes nothing.
   *
   * @throws {Error} when the database cannot be written.
   */
  async probe(): Promise<void> {
    await this.#commits.run(() => this.#writer.remote.touch());
  }

  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    return this.#shortReads.findByPath(scope, paths);
  }

  findLocated(scope: Scope, path: string): Promise<LocatedRecord | undefined> {
    return this.#shortReads.findLocated(scope, path);
  }

  findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>> {
    return this.#shortReads.findById(scope, ids);
  }

  async *list(query: ListQuery): AsyncGenerator<readonly ResourceRecord[]> {
    const few = this.#shortReads.list(query);
    if (few !== undefined) return yield few;
    yield* this.#longReads.list(query);
  }

  async *listJson(query: ListQuery): AsyncGenerator<ItemsJson> {
    const few = this.#shortReads.list(query);
    if (few === undefined) yield* this.#longReads.listJson(query);
    else if (few.length > 0) yield entriesJson(few);
  }

  usage(scope: Scope): Promise<Usage> {
    return this.#shortReads.usage(scope);
  }

  /** {@link measureDatabase} */
  measure(): Promise<DatabaseMeasures> {
    return measureDatabase(this.#path, { points: this.#points, commits: this.#commits });
  }

  readonly shares: RecordStore["shares"] = (query, signal) => this.#longReads.shares(query, signal);

  collectFiles(roots: CollectionRoots): Promise<FileCollection> {
    return this.#longReads.collectFiles(roots);
  }

  async write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    options: WriteOptions<T> = {},
  ): Promise<T> {
    let userIds: readonly number[] | undefined;
    for (;;) {
      try {
        return userIds === undefined
          ? await this.#largeChanges.runDirectly(work, options)
          : await this.#largeChanges.run(userIds, work, options);
      } catch (error) {
        if (error instanceof TooLarge) userIds = error.userIds;
        else if (error instanceof Busy) await error.ended;
        else throw error;
      }
    }
  }

  readonly storeDecided: DecidedUploads["storeDecided"] = (upload, options) =>
    this.#largeChanges.storeDecided(upload, options);

  /** Waits for pending transactions, then closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#largeChanges.close();
    // Requests that a stop has cut off may still want to store what has arrived.
    await this.#commits.close();
    this.#points[Symbol.dispose]();
    await this.#longReader[Symbol.asyncDispose]();
    await this.#lookups[Symbol.asyncDispose]();
    // Close the writer last: the last connection to close checkpoints the log.
    await this.#writer.remote.close();
    this.#end();
  }

  #end(): void {
    this.scans[Symbol.dispose]();
    this.#longReader[Symbol.dispose]();
    this.#files[Symbol.dispose]();
    this.#lookups[Symbol.dispose]();
    this.#writer[Symbol.dispose]();
  }
}
