import type { ListQuery, Scope } from "../../core/ports.ts";
import type { PastTree } from "../tables/history_store.ts";
import { Connection } from "./connection.ts";
import { batchOf, type ListBatch, type ListForm } from "./list_batch.ts";
import { type Listing, openListing, type Page } from "./listing.ts";
import { dropPast, fillWithListing } from "./past.ts";
import type { PinnedState } from "./usage.ts";

/** Idle connections kept for later listings. */
const MAX_IDLE_CONNECTIONS = 4;

/** A connection that has had more records of the past is not kept, as the file of its temporary table is large. */
const MAX_PAST_RECORDS = 10_000;

/** How long a listing may read one snapshot. While it does, the log cannot start anew. */
const MAX_SNAPSHOT_MS = 10_000;

interface Cursor {
  readonly listing: Listing;
  readonly scope: Scope;
  readonly form: ListForm;
  connection: Connection | undefined;
  /** When the connection began to keep a snapshot, if it does. */
  snapshotAt: number | undefined;
  /** How many records of the past the connection has instead of the present ones. */
  readonly pastRecords: number | undefined;
}

/** The listings that a thread has open. They stay so until the caller closes them. */
export class OpenLists implements Disposable {
  readonly #path: string;
  /** The state before the large change that is going on, of the records of its users. */
  readonly #pinnedState: () => PinnedState | undefined;
  readonly #idle: Connection[] = [];
  readonly #cursors = new Map<number, Cursor>();
  #opened = 0;

  /** @param path The database. */
  constructor(path: string, pinned: () => PinnedState | undefined) {
    this.#path = path;
    this.#pinnedState = pinned;
  }

  [Symbol.dispose](): void {
    for (const cursor of [...this.#cursors.keys()]) this.close(cursor);
    for (const connection of this.#idle.splice(0)) connection[Symbol.dispose]();
  }

  /** Opens a listing, and reads its first batch as {@link next} does. */
  open(
    query: ListQuery,
    form: ListForm,
    past?: PastTree,
  ): { cursor: number; first: ListBatch | undefined } {
    const cursor = ++this.#opened;
    const connection = past && this.#connect();
    let pastRecords: number | undefined;
    if (past !== undefined && connection !== undefined) {
      try {
        pastRecords = fillWithListing(connection, past, query);
      } catch (error) {
        connection[Symbol.dispose]();
        throw error;
      }
    }
    this.#cursors.set(cursor, {
      listing: openListing(query),
      scope: query.scope,
      form,
      connection,
      snapshotAt: past && Infinity,
      pastRecords,
    });
    return { cursor, first: this.next(cursor) };
  }

  /**
   * The next batch of a listing. Until the listing is released, batches are from one snapshot for some
   * seconds. Returns undefined if the batch can be read only once a large change has ended.
   */
  next(cursor: number): ListBatch | undefined {
    const open = this.#cursors.get(cursor);
    if (open === undefined) throw new Error(`Listing ${cursor} has ended`);
    try {
      const page = this.#nextPage(open);
      if (page?.done) this.close(cursor);
      return page && batchOf(page, open.form);
    } catch (error) {
      this.close(cursor);
      throw error;
    }
  }

  #nextPage(open: Cursor): Page | undefined {
    const pinned = this.#pinnedState();
    const { listing, scope } = open;
    const now = performance.now();
    if (open.snapshotAt !== undefined && now - open.snapshotAt > MAX_SNAPSHOT_MS) {
      this.#release(open);
    }
    if (open.snapshotAt === undefined && pinned !== undefined) {
      if (scope.everyone) return undefined;
      if (pinned.userIds.has(scope.userId)) {
        return listing.hasTable ? undefined : listing.next(pinned.connection, false);
      }
    }
    open.connection ??= this.#connect();
    if (open.snapshotAt === undefined) open.connection.script("BEGIN");
    open.snapshotAt ??= now;
    return listing.next(open.connection, true);
  }

  /** Gives up the snapshot of a listing. The next batch is from another one. */
  release(cursor: number): void {
    const open = this.#cursors.get(cursor);
    if (open !== undefined) this.#release(open);
  }

  #release(open: Cursor): void {
    if (open.snapshotAt === undefined || open.pastRecords !== undefined) return;
    open.snapshotAt = undefined;
    open.connection?.script("COMMIT");
    if (open.listing.hasTable) open.connection?.script("PRAGMA shrink_memory");
    else this.#keepIdle(open);
  }

  /** Ends a listing. Does nothing if it has ended. */
  close(cursor: number): void {
    const open = this.#cursors.get(cursor);
    if (open === undefined) return;
    this.#cursors.delete(cursor);
    this.#release(open);
    const { connection, listing, pastRecords = Infinity } = open;
    if (connection !== undefined && !listing.hasTable && pastRecords <= MAX_PAST_RECORDS) {
      dropPast(connection);
      this.#keepIdle(open);
    }
    // Its temporary tables go with the connection.
    open.connection?.[Symbol.dispose]();
  }

  #connect(): Connection {
    return this.#idle.pop() ?? new Connection(this.#path, { readOnly: true });
  }

  #keepIdle(open: Cursor): void {
    if (open.connection === undefined || this.#idle.length === MAX_IDLE_CONNECTIONS) return;
    this.#idle.push(open.connection);
    open.connection = undefined;
  }
}
