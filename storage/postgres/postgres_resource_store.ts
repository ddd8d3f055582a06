import type { DecidedUploads } from "../../core/decided_upload.ts";
import type { Entries, EventEntry } from "../../core/event_channel.ts";
import { blobIdsOf } from "../../core/hub/git_files.ts";
import type { Log } from "../../core/log.ts";
import type {
  CollectionRoots,
  FileCollection,
  ItemsJson,
  ListQuery,
  LocatedLookup,
  ResourceRecord,
  Scope,
  WriteOptions,
} from "../../core/ports.ts";
import { SCANNERS_VERSION } from "../../core/scanner/mod.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { SqlTensorStore } from "../tables/tensor_store.ts";
import { SqlDavStore } from "../tables/dav_store.ts";
import { SqlCredentialStore } from "../tables/credential_store.ts";
import { type PastTree, SqlHistoryStore } from "../tables/history_store.ts";
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
import type { CurrentResults } from "../tables/verdict_statements.ts";
import { currentResults, SqlVerdictStore } from "../tables/verdict_store.ts";
import type { SharedUpkeep } from "../../core/upkeep/ports.ts";
import type { RecordStore } from "../tables/record_store.ts";
import { searchPage } from "../tables/search.ts";
import { SEARCH } from "./search_engine.ts";
import { searchIndexOf } from "./search_index.ts";
import { WorkerPool } from "../threads/pool.ts";
import { throwUncaught } from "../threads/uncaught.ts";
import { WORKERS } from "../threads/workers.ts";
import { namesOfReplaced } from "../disk/path_names.ts";
import { TemporaryFiles } from "../disk/temporary_files.ts";
import type { Agreed, Agreement } from "../../schemas/agreement.ts";
import {
  type DatabaseAddress,
  databaseAuthorities,
  databaseFiles,
  databaseUrl,
} from "../../schemas/database_url.ts";
import { currentAddress } from "./access.ts";
import { agree } from "./agreements.ts";
import { collectFiles } from "./collection.ts";
import { isOutcomeUnknown } from "./commits.ts";
import { PostgresContentTable } from "./content_table.ts";
import { measureDatabase, tidying } from "./measures.ts";
import { Undecided } from "./decided_uploads.ts";
import { type LeaseOptions, ServerLease } from "./server_lease.ts";
import { Database } from "./database.ts";
import { probeDatabase } from "./probe.ts";
import { Lists } from "./lists.ts";
import { pastLookups } from "./past.ts";
import { findById, findByPath, findLocated } from "./lookup.ts";
import { Revocations } from "./revocations.ts";
import { PostgresEvents } from "./postgres_events.ts";
import { readPage, readRepositories, refusedIn } from "./pages.ts";
import { keepRevision, versionOf } from "./repository_versions.ts";
import { statementsOf } from "./run_statements.ts";
import { SharedScanQueue } from "./shared_scan_queue.ts";
import { STATEMENTS } from "./statements.ts";
import type { PostgresStoreOptions } from "./store_options.ts";
import { readShares, usageOf } from "./usage.ts";
import type { PostgresTransaction } from "./write_transaction.ts";
import { Writes } from "./writes.ts";

type Work<T> = (transaction: PostgresTransaction) => Promise<T>;

/**
 * Keeps records in a database of PostgreSQL, which other servers may use at the same time.
 * See docs/design/postgres.md.
 */
export class PostgresResourceStore implements RecordStore, DecidedUploads, LocatedLookup {
  readonly #writes: Writes;
  readonly #lists: Lists;
  readonly #files: TemporaryFiles;
  readonly #onFatal: (error: Error) => void;
  /** Admits one count at a time. */
  readonly #counting = new Semaphore(1);
  readonly #results: CurrentResults;
  readonly #server: string;
  #lease: ServerLease | undefined;
  readonly contents: PostgresContentTable;
  readonly shared: SharedUpkeep;
  readonly history: SqlHistoryStore;
  readonly scans: SqlScanStore;
  readonly sharedQueue: SharedScanQueue;
  readonly upkeep: SqlUpkeepStore;
  readonly verdicts: SqlVerdictStore;
  readonly hub: SqlHubStore;
  readonly tensors: SqlTensorStore;
  readonly dav: SqlDavStore;
  readonly links: SqlLinkStore;
  readonly mirror: SqlMirrorStore;
  readonly people: SqlPeopleStore;
  readonly s3: SqlS3Store;
  readonly searchIndex: RecordStore["searchIndex"];
  readonly sessions: SqlSessionStore;
  readonly signIns: SqlSignInStore;
  readonly uploads: SqlUploadStore;
  readonly objects: SqlLfsObjectStore;
  readonly objectTable: SqlObjectTable;
  readonly credentials: SqlCredentialStore;
  readonly database: Database;

  private constructor(database: Database, address: DatabaseAddress, options: PostgresStoreOptions) {
    const { temporaryDirectory, onFatal = throwUncaught } = options;
    this.database = database;
    this.#server = options.server ?? "";
    this.#files = new TemporaryFiles(temporaryDirectory);
    this.#writes = new Writes(database, this.#files, options.maxDirectRecords);
    this.#lists = new Lists(database, options.listIdleMs);
    this.#onFatal = onFatal;
    this.contents = new PostgresContentTable(database);
    this.shared = {
      dropped: (limit) => this.contents.dropped(limit),
      tidy: tidying(database, this.#written),
      written: this.#written,
    };
    const revocations = new Revocations(database, this.#server, options.revocationsMs);
    const settled = () => revocations.settled();
    const version = options.resultsVersion ?? SCANNERS_VERSION;
    const results = this.#results = currentResults(version);
    const { direct = address } = address;
    const parts = { database, transact: <T>(work: Work<T>) => this.write(work) };
    this.history = new SqlHistoryStore(statementsOf(STATEMENTS.history, parts), {
      ...pastLookups(database),
      list: (tree, query) => this.#lists.pages(query, tree),
      listJson: (tree, query) => this.#lists.json(query, tree),
      collectFiles: (tree, roots) => this.collectFiles(roots, tree),
    });
    this.scans = new SqlScanStore({
      statements: statementsOf(STATEMENTS.scans, parts),
      get database() {
        return databaseUrl(currentAddress(direct));
      },
      reports: new WorkerPool(WORKERS.report, 1, {
        net: databaseAuthorities(direct),
        read: databaseFiles(direct).flatMap(namesOfReplaced),
      }),
      version,
    });
    this.sharedQueue = new SharedScanQueue(database, this.scans, options.sharedQueue);
    this.verdicts = new SqlVerdictStore(statementsOf(STATEMENTS.verdicts, parts), results);
    this.credentials = new SqlCredentialStore(
      statementsOf(STATEMENTS.credentials, parts),
      (credential) => revocations.isRevoked(credential),
      settled,
    );
    this.tensors = new SqlTensorStore(statementsOf(STATEMENTS.tensors, parts));
    this.dav = new SqlDavStore(statementsOf(STATEMENTS.dav, parts));
    this.links = new SqlLinkStore(statementsOf(STATEMENTS.links, parts));
    this.mirror = new SqlMirrorStore(statementsOf(STATEMENTS.mirror, parts));
    this.people = new SqlPeopleStore(statementsOf(STATEMENTS.people, parts), settled);
    this.searchIndex = searchIndexOf(parts);
    this.s3 = new SqlS3Store(statementsOf(STATEMENTS.s3, parts));
    this.sessions = new SqlSessionStore(statementsOf(STATEMENTS.sessions, parts));
    this.signIns = new SqlSignInStore(statementsOf(STATEMENTS.signIns, parts));
    const uploads = statementsOf(STATEMENTS.uploads, parts);
    this.uploads = new SqlUploadStore(uploads);
    this.objects = new SqlLfsObjectStore(uploads);
    this.objectTable = new SqlObjectTable({
      statements: statementsOf(STATEMENTS.objects, parts),
      contents: this.contents,
      isShared: true,
    });
    this.upkeep = new SqlUpkeepStore(statementsOf(STATEMENTS.upkeep, parts));
    const blobIds = async (hashes: readonly string[]) =>
      blobIdsOf(await this.contents.bytesOfAll(hashes));
    this.hub = new SqlHubStore({
      page: (request) => readPage(database, request, blobIds),
      blobIds,
      repositories: (query) => readRepositories(database, query),
      versionOf: async (repository) => {
        await this.#writes.published();
        return await versionOf(database, repository);
      },
      keepRevision: (...kept) => keepRevision(database, ...kept),
      results,
    });
  }

  /** {@link Database.open} */
  static async open(
    address: DatabaseAddress,
    options: PostgresStoreOptions,
  ): Promise<PostgresResourceStore> {
    const database = await Database.open(address, options);
    return new PostgresResourceStore(database, address, options);
  }

  /** How many transactions this server has committed. */
  readonly #written = () => this.#writes.commits + this.contents.announcements;

  readonly probe = (): Promise<void> => probeDatabase(this.database);

  /** Whether others take this server for alive. */
  get isAlive(): boolean {
    return this.#lease?.isHeld ?? true;
  }

  /** Tells other servers that this one is there: they leave it what it holds. */
  async takeLease(options: Omit<LeaseOptions, "onLost"> = {}): Promise<void> {
    const onLost = () => this.#onFatal(new Error("Other servers have taken over from this one"));
    this.#lease = await ServerLease.take(this.database, this.#server, {
      ...options,
      resultsVersion: this.#results.version,
      onLost,
    });
  }

  agree(agreement: Agreement, allowed: readonly Agreed[]): Promise<void> {
    return agree(this.database, { server: this.#server, agreement, allowed });
  }

  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    return findByPath(this.database, scope, paths);
  }

  readonly findLocated: LocatedLookup["findLocated"] = (scope, path) =>
    findLocated(this.database, scope, path);

  readonly search: RecordStore["search"] = (query) =>
    searchPage(this.database, { ...query, results: this.#results }, SEARCH);

  findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>> {
    return findById(this.database, scope, ids);
  }

  list(query: ListQuery): AsyncGenerator<readonly ResourceRecord[]> {
    return this.#lists.pages(query);
  }

  listJson(query: ListQuery): AsyncGenerator<ItemsJson> {
    return this.#lists.json(query);
  }

  readonly sharing = () => ({
    ...this.database.connections,
    leaseSeconds: this.#lease?.heldSeconds ?? 0,
  });

  readonly measure: RecordStore["measure"] = () => measureDatabase(this.database, this.#written());

  readonly usage: RecordStore["usage"] = (scope) => usageOf(this.database, scope);

  readonly shares: RecordStore["shares"] = async (query, signal) => {
    using _turn = await this.#counting.acquire(signal, query.scope.userId);
    return await readShares(this.database, query, signal);
  };

  collectFiles(roots: CollectionRoots, past?: PastTree): Promise<FileCollection> {
    return collectFiles(
      this.database,
      roots,
      (session, collection, query) =>
        refusedIn(session, collection, { ...query, results: this.#results }),
      past,
    );
  }

  readonly storeDecided: DecidedUploads["storeDecided"] = async (upload, options) => {
    try {
      return await this.write((transaction) => transaction.storeDecided(upload), options);
    } catch (error) {
      if (error instanceof Undecided) return undefined;
      throw error;
    }
  };

  /** Call it once: transactions append the events of their changes to what it returns. */
  openEvents<Event>(entryOf: (event: Event) => EventEntry, log: Log): PostgresEvents<Event> {
    const append = (entries: Entries) =>
      this.write(() => Promise.resolve(), { events: () => entries });
    const events = new PostgresEvents({ database: this.database, append, entryOf, log });
    this.#writes.onAppended = events.committed;
    return events;
  }

  async write<T>(work: Work<T>, options: WriteOptions<T> = {}): Promise<T> {
    try {
      return await this.#writes.run(work, options);
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      this.#onFatal(error);
      // A reply would promise that nothing changed.
      return await new Promise(() => {});
    }
  }

  /** Waits for pending transactions, then closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writes.idle();
    this.scans[Symbol.dispose]();
    await this.#lease?.[Symbol.asyncDispose]();
    await this.database[Symbol.asyncDispose]();
    this.#files[Symbol.dispose]();
  }
}
