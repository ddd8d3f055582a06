import type {
  CollectedFile,
  CollectionRoots,
  ListQuery,
  ResourceRecord,
  Scope,
} from "../../core/ports.ts";
import { Collection } from "./collection.ts";
import { Connection, type Parameters, type Row } from "./connection.ts";
import { listing } from "./listing.ts";
import { findById, findByPath } from "./lookup.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";

/** How many records a batch of a listing holds. */
const BATCH_RECORDS = 500;
/** How many idle connections are kept for listings. */
const IDLE_CONNECTIONS = 4;

/** A batch of a listing; `cursor` leads to the next one where there may be more. */
export interface ListBatch {
  readonly records: ResourceRecord[];
  readonly cursor: number | undefined;
}

interface Cursor {
  readonly connection: Connection;
  readonly records: Generator<ResourceRecord, void>;
}

/**
 * All reading outside of write transactions. It lives in threads of its own (reader_worker.ts), and
 * lets go of nothing by itself: listings and collections are closed by whoever opened them.
 */
export class Reader {
  #path = "";
  /** Lookups run to their end at once; what goes on for longer has a connection of its own. */
  #lookups: Connection | undefined;
  readonly #idle: Connection[] = [];
  readonly #cursors = new Map<number, Cursor>();
  readonly #collections = new Map<number, Collection>();
  #opened = 0;

  /** Takes the database, which must exist. To be called once, first. */
  open(path: string): void {
    this.#path = path;
  }

  close(): void {
    for (const cursor of [...this.#cursors.keys()]) this.closeList(cursor);
    for (const collection of [...this.#collections.keys()]) this.closeCollection(collection);
    for (const connection of this.#idle.splice(0)) connection[Symbol.dispose]();
    this.#lookups?.[Symbol.dispose]();
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath(this.#connection, scope, paths);
  }

  findById(scope: Scope, ids: readonly number[]): Map<number, ResourceRecord> {
    return findById(this.#connection, scope, ids);
  }

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: Parameters): Row[] {
    return scanRows(this.#connection, statement, parameters);
  }

  /** The first batch of a listing. */
  openList(query: ListQuery): ListBatch {
    const connection = this.#idle.pop() ?? new Connection(this.#path, { readOnly: true });
    const cursor = ++this.#opened;
    this.#cursors.set(cursor, { connection, records: listing(connection, query) });
    return this.nextBatch(cursor);
  }

  /** A further batch of a listing, of the same moment as the first. */
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

  /** Ends a listing. One that has ended already is none any more. */
  closeList(cursor: number): void {
    const held = this.#cursors.get(cursor);
    if (held === undefined) return;
    this.#cursors.delete(cursor);
    held.records.return();
    if (this.#idle.length < IDLE_CONNECTIONS) this.#idle.push(held.connection);
    else held.connection[Symbol.dispose]();
  }

  openCollection(roots: CollectionRoots): { id: number; sharedPath: string | undefined } {
    const collection = new Collection(this.#path, roots);
    const id = ++this.#opened;
    this.#collections.set(id, collection);
    return { id, sharedPath: collection.sharedPath(roots) };
  }

  /** The files behind the path `after`; none where the collection is through. */
  collectionPage(id: number, after: string): CollectedFile[] {
    return this.#collection(id).page(after);
  }

  setPackedSize(id: number, path: string, bytes: number): void {
    this.#collection(id).setPackedSize(path, bytes);
  }

  closeCollection(id: number): void {
    this.#collections.get(id)?.[Symbol.dispose]();
    this.#collections.delete(id);
  }

  get #connection(): Connection {
    return this.#lookups ??= new Connection(this.#path, { readOnly: true });
  }

  #cursor(id: number): Cursor {
    const cursor = this.#cursors.get(id);
    if (cursor === undefined) throw new Error(`The listing ${id} has ended`);
    return cursor;
  }

  #collection(id: number): Collection {
    const collection = this.#collections.get(id);
    if (collection === undefined) throw new Error(`The collection ${id} has been closed`);
    return collection;
  }
}
