import type {
  CollectedFile,
  CollectionRoots,
  ListQuery,
  ResourceRecord,
  Scope,
} from "../../core/ports.ts";
import { Collection } from "./collection.ts";
import { Connection, type SqlParameters, type SqlRow } from "./connection.ts";
import { listing } from "./listing.ts";
import { findById, findByPath, type RecordSource } from "./lookup.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";
import { upkeepRows, type UpkeepStatement } from "./upkeep_statements.ts";

/** Number of records in a batch of a listing. */
const BATCH_RECORDS = 500;
/** Idle connections kept for later listings. */
const MAX_IDLE_CONNECTIONS = 4;

/** A batch of a listing. `cursor` is set if there may be more. */
export interface ListBatch {
  readonly records: ResourceRecord[];
  readonly cursor: number | undefined;
}

interface Cursor {
  readonly connection: Connection;
  readonly records: Generator<ResourceRecord, void>;
}

/**
 * Reads outside of write transactions. Runs in threads of its own (reader_worker.ts). Listings and
 * collections stay open until the caller closes them.
 */
export class Reader {
  #path = "";
  /** For lookups, which finish in one call. Each listing and collection has its own connection. */
  #lookups: Connection | undefined;
  readonly #idle: Connection[] = [];
  readonly #cursors = new Map<number, Cursor>();
  readonly #collections = new Map<number, Collection>();
  #opened = 0;

  /** The state before the large change that is going on, of the records of its users. */
  #pinned: { readonly connection: Connection; readonly userIds: ReadonlySet<number> } | undefined;

  /** Sets the database, which must exist. Call it once, before other methods. */
  open(path: string): void {
    this.#path = path;
  }

  close(): void {
    for (const cursor of [...this.#cursors.keys()]) this.closeList(cursor);
    for (const collection of [...this.#collections.keys()]) this.closeCollection(collection);
    for (const connection of this.#idle.splice(0)) connection[Symbol.dispose]();
    this.#lookups?.[Symbol.dispose]();
    this.unpin();
  }

  /** Finds the records of the users as they are now, until {@link unpin} is called. */
  pin(userIds: readonly number[]): void {
    const connection = new Connection(this.#path, { readOnly: true });
    this.#pinned = { connection, userIds: new Set(userIds) };
    connection.script("BEGIN");
    // The snapshot is that of the first statement.
    connection.get("SELECT 1 FROM records LIMIT 1");
  }

  /** Finds all records as they are. */
  unpin(): void {
    this.#pinned?.connection[Symbol.dispose]();
    this.#pinned = undefined;
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath(this.#sources, scope, paths);
  }

  findById(scope: Scope, ids: readonly number[]): Map<number, ResourceRecord> {
    return findById(this.#sources, scope, ids);
  }

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: SqlParameters): SqlRow[] {
    return scanRows(this.#connection, statement, parameters);
  }

  /** Runs a statement about stored content and returns its rows. */
  upkeepRows(statement: UpkeepStatement, parameters: SqlParameters): SqlRow[] {
    return upkeepRows(this.#connection, statement, parameters);
  }

  /** The first batch of a listing. */
  openList(query: ListQuery): ListBatch {
    const connection = this.#idle.pop() ?? new Connection(this.#path, { readOnly: true });
    const cursor = ++this.#opened;
    this.#cursors.set(cursor, { connection, records: listing(connection, query) });
    return this.nextBatch(cursor);
  }

  /**
   * A further batch of a listing, from the same snapshot as the first.
   *
   * @throws {Error} when the listing has ended.
   */
  nextBatch(cursor: number): ListBatch {
    const records: ResourceRecord[] = [];
    const { records: source } = this.#cursor(cursor);
    try {
      while (records.length < BATCH_RECORDS) {
        const { done, value } = source.next();
        if (done) {
          this.closeList(cursor);
          return { records, cursor: undefined };
        }
        records.push(value);
      }
    } catch (error) {
      this.closeList(cursor);
      throw error;
    }
    return { records, cursor };
  }

  /** Ends a listing. Does nothing if it has ended. */
  closeList(cursor: number): void {
    const listing = this.#cursors.get(cursor);
    if (listing === undefined) return;
    this.#cursors.delete(cursor);
    listing.records.return();
    if (this.#idle.length < MAX_IDLE_CONNECTIONS) this.#idle.push(listing.connection);
    else listing.connection[Symbol.dispose]();
  }

  /** Collects the files at and below the roots, and returns the id of the collection. */
  openCollection(roots: CollectionRoots): { id: number; sharedPath: string | undefined } {
    const collection = new Collection(this.#path, roots);
    const id = ++this.#opened;
    this.#collections.set(id, collection);
    return { id, sharedPath: collection.sharedPath(roots) };
  }

  /** The next files after the path `after`; empty at the end of the collection. */
  collectionPage(id: number, after: string): CollectedFile[] {
    return this.#collection(id).page(after);
  }

  setPackedSizes(id: number, sizes: ReadonlyMap<string, number>): void {
    this.#collection(id).setPackedSizes(sizes);
  }

  closeCollection(id: number): void {
    this.#collections.get(id)?.[Symbol.dispose]();
    this.#collections.delete(id);
  }

  /** Where to find the present records of each user. */
  get #sources(): readonly RecordSource[] {
    const connection = this.#connection;
    const pinned = this.#pinned;
    if (pinned === undefined) return [{ connection, has: () => true }];
    return [
      { connection, has: (userId) => !pinned.userIds.has(userId) },
      { connection: pinned.connection, has: (userId) => pinned.userIds.has(userId) },
    ];
  }

  get #connection(): Connection {
    return this.#lookups ??= new Connection(this.#path, { readOnly: true });
  }

  #cursor(id: number): Cursor {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) throw new Error(`Listing ${id} has ended`);
    return cursor;
  }

  #collection(id: number): Collection {
    const collection = this.#collections.get(id);
    if (collection === undefined) throw new Error(`Collection ${id} is closed`);
    return collection;
  }
}
