import type { Chunk } from "../../core/content.ts";
import type { IssuedCredential } from "../../core/credential_end.ts";
import type { ListQuery, LocatedRecord, ResourceRecord, Scope } from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { ContentAmount } from "../../core/upkeep/ports.ts";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";
import { LOCATED, locatedOf } from "../tables/located_rows.ts";
import { Connection } from "./connection.ts";
import type { PastTree } from "../tables/history_store.ts";
import { bytesOf, sizesOf } from "./contents.ts";
import { shortListing } from "./listing.ts";
import { findById, findByPath, RECORD_COLUMNS, type RecordSource } from "./lookup.ts";
import { findPastById, findPastByPath, findPastLocated } from "./past.ts";
import { shortPastListing } from "./past_listing.ts";
import { sqlOf, type StatementName } from "./statements.ts";
import { contentTotals, usageOf } from "./usage.ts";

/** Lookups of more records are left to another thread. */
const MAX_LOOKUPS = 32;
/** Listings of more records are left to another thread. */
const MAX_LISTED = 200;
/** Lookups of the past read all rows of history that are in no order yet. More are left to another thread. */
const MAX_FRESH = 200;

/**
 * Reads on the serving thread what takes microseconds, less than a call to another thread would. Its
 * methods return undefined for a query that might take longer. It knows the committed state only: do not
 * ask it for records that a large change is changing.
 */
export class PointReader implements Disposable {
  readonly #path: string;
  #opened: Connection | undefined;

  /** @param path The path of the database, which must exist when a method is called. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Opens the database, which writes to files. Later, this thread would have to wait for a disk that stalls. */
  connect(): void {
    this.#opened ??= new Connection(this.#path, { readOnly: true });
    this.#opened.get("SELECT 1 FROM storage_state");
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> | undefined {
    // Any number of users may have a record at a path.
    if (scope.everyone || paths.length > MAX_LOOKUPS) return undefined;
    return findByPath(this.#sources, scope, paths);
  }

  /** Like {@link findByPath}, of the records of one user, with what belongs to the record. */
  findLocated(scope: Scope, path: string): LocatedRecord | undefined {
    if (scope.everyone) return undefined;
    const [row] = this.#connection.values(
      `SELECT ${RECORD_COLUMNS}, ${LOCATED.columns} FROM records ${LOCATED.tables("records")}
       WHERE records.user_id = :user AND records.path = :path`,
      { user: scope.userId, path },
    );
    return row && locatedOf(row);
  }

  findById(scope: Scope, ids: readonly number[]): Map<number, ResourceRecord> | undefined {
    return ids.length > MAX_LOOKUPS ? undefined : findById(this.#sources, scope, ids);
  }

  /** {@link findPastByPath} */
  findPastByPath(tree: PastTree, paths: readonly string[]): ResourceRecord[] | undefined {
    if (this.#takesLong(tree, paths)) return undefined;
    return findPastByPath(this.#connection, tree, paths);
  }

  /** {@link findPastLocated} */
  findPastLocated(tree: PastTree, path: string): LocatedRecord | undefined {
    return this.#takesLong(tree, [path])
      ? undefined
      : findPastLocated(this.#connection, tree, path);
  }

  /** {@link findPastById} */
  findPastById(tree: PastTree, ids: readonly number[]): ResourceRecord[] | undefined {
    return this.#takesLong(tree, ids) ? undefined : findPastById(this.#connection, tree, ids);
  }

  #takesLong({ tag }: PastTree, asked: readonly unknown[]): boolean {
    if (asked.length > MAX_LOOKUPS) return true;
    const sql = `SELECT 1 FROM fresh_history LIMIT 1 OFFSET ${MAX_FRESH}`;
    return tag === undefined && this.#connection.values(sql).length > 0;
  }

  /** Whether a credential is revoked. */
  isRevoked({ userId: user, jti, issuedAt: issued = 0 }: IssuedCredential): boolean {
    const parameters = { user, jti: jti ?? null, issued };
    return this.rows(["credentials", "isRevoked"], parameters).length > 0;
  }

  /** What the trees within the scope hold. */
  usage(scope: Scope): Usage | undefined {
    return scope.everyone ? undefined : usageOf(this.#connection, scope);
  }

  /** {@link contentTotals} */
  contentTotals(): Record<"files" | "database", ContentAmount> {
    return contentTotals(this.#connection);
  }

  /** A whole listing, or undefined if it has more than {@link MAX_LISTED} records or a page of paths. */
  shortList(query: ListQuery): ResourceRecord[] | undefined {
    if (query.scope.everyone || query.directories.length > 1) return undefined;
    if (query.chain.length > MAX_LOOKUPS) return undefined;
    return this.#inSnapshot((connection) => shortListing(connection, query, MAX_LISTED));
  }

  /** {@link shortList}, of a tree at a version */
  shortPastList(tree: PastTree, query: ListQuery): ResourceRecord[] | undefined {
    if (query.directories.length > 1 || this.#takesLong(tree, query.chain)) return undefined;
    return this.#inSnapshot((connection) => shortPastListing(connection, tree, query, MAX_LISTED));
  }

  /** Reads from one snapshot: otherwise a listing might have grown since it was counted. */
  #inSnapshot<T>(read: (connection: Connection) => T): T {
    const connection = this.#connection;
    connection.run("BEGIN");
    try {
      return read(connection);
    } finally {
      connection.run("COMMIT");
    }
  }

  /** The bytes of small content, or undefined if it is in a file or missing. */
  contentBytes(hash: string): Chunk | undefined {
    return bytesOf(this.#connection, hash);
  }

  /** The size of small content, or undefined if it is in a file or missing. */
  contentSize(hash: string): number | undefined {
    return sizesOf(this.#connection, [hash]).get(hash);
  }

  /** Runs a statement of a store that looks for a few rows, and returns them. */
  rows(statement: StatementName, parameters: SqlParameters): SqlRow[] {
    return this.#connection.all(sqlOf(statement), parameters);
  }

  [Symbol.dispose](): void {
    this.#opened?.[Symbol.dispose]();
  }

  get #sources(): readonly RecordSource[] {
    return [{ connection: this.#connection, has: () => true }];
  }

  get #connection(): Connection {
    return this.#opened ??= new Connection(this.#path, { readOnly: true });
  }
}
