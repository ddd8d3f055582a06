import { AppError, quoted } from "../../core/errors.ts";
import type {
  NewRecord,
  Placement,
  ResourceRecord,
  Scope,
  TransferEffect,
} from "../../core/ports.ts";
import { Connection, type SqlParameters, type SqlRow } from "./connection.ts";
import { findByPath, pathColumns, RECORD_COLUMNS, toRecord } from "./lookup.ts";
import { migrate } from "./migrate.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";
import { asStorageFull } from "../disk/storage_full.ts";
import { descendantOf } from "./subtree.ts";
import { TransferPlan } from "./transfer_plan.ts";

/**
 * The only connection that writes. Runs in a thread of its own (writer_worker.ts), because a commit
 * waits for the disk. The caller runs one transaction at a time.
 */
export class Writer {
  #opened: { readonly connection: Connection; readonly plan: TransferPlan } | undefined;

  /**
   * Opens the database; creates and migrates it as needed. Call it once, before other methods.
   * Returns whether the database was new or empty.
   */
  open(path: string): boolean {
    const connection = new Connection(path, { readOnly: false });
    const before = migrate(connection);
    this.#opened = { connection, plan: new TransferPlan(connection) };
    return before === 0;
  }

  /**
   * Reads the whole database and checks it.
   *
   * @throws {Error} when it is damaged.
   */
  checkIntegrity(): void {
    const [first] = this.#connection.all("PRAGMA integrity_check(1)");
    const verdict = String(first?.integrity_check);
    if (verdict !== "ok") {
      throw new Error(`The database is damaged; restore it from a backup: ${verdict}`);
    }
  }

  close(): void {
    this.#opened?.connection[Symbol.dispose]();
  }

  begin(): void {
    // IMMEDIATE takes the write lock now, so that no later statement fails on it.
    this.#connection.run("BEGIN IMMEDIATE");
  }

  savepoint(): void {
    this.#connection.run("SAVEPOINT work");
  }

  /** Rolls back to the savepoint. Returns false if the failure has ended the whole transaction. */
  rollbackWork(): boolean {
    if (!this.#connection.inTransaction) return false;
    this.#connection.run("ROLLBACK TO work");
    this.#connection.run("RELEASE work");
    return true;
  }

  commit(): void {
    refuseFull(() => this.#connection.run("COMMIT"));
  }

  /** Rolls the transaction back, unless the failure has already ended it. */
  rollback(): void {
    if (this.#connection.inTransaction) this.#connection.run("ROLLBACK");
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath(this.#connection, scope, paths);
  }

  /**
   * Adds the records, in the given order.
   *
   * @throws {AppError} `ErrResourcesAlreadyExists` when a record of the same owner has one of the
   *   paths.
   */
  insert(records: readonly NewRecord[]): ResourceRecord[] {
    this.#invalidateScans(records);
    const rows = refuseFull(() =>
      this.#connection.all(
        `INSERT INTO records
           (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
         SELECT value ->> 'userId', value ->> 'path', value ->> 'parent', value ->> 'name',
           value ->> 'hash', value ->> 'size', value ->> 'crc32', value ->> 'isDir',
           value ->> 'createdAt', value ->> 'updatedAt'
         FROM json_each(:records) WHERE TRUE
         ON CONFLICT DO NOTHING
         RETURNING ${RECORD_COLUMNS}`,
        { records: JSON.stringify(records.map((it) => ({ ...it, ...pathColumns(it.path) }))) },
      )
    );
    // SQLite does not specify the order of RETURNING.
    const inserted = new Map(rows.map(toRecord).map((record) => [key(record), record]));
    return records.map((record) => {
      const added = inserted.get(key(record));
      if (added !== undefined) return added;
      throw new AppError(
        "ErrResourcesAlreadyExists",
        `Cannot add ${quoted(record.path)}: a record has this path`,
      );
    });
  }

  /**
   * Invalidates scan results of content that returns while no record has its hash. As MD5 can be
   * forged, the new content may differ from the content that was scanned: old results do not apply
   * to it, and a running scan can no longer read the old content.
   */
  #invalidateScans(records: readonly NewRecord[]): void {
    const hashes = records.flatMap(({ hash }) => hash === "" ? [] : [hash]);
    if (hashes.length === 0) return;
    const parameters = { hashes: JSON.stringify(hashes) };
    this.scanRows("forgetReplacedResults", parameters);
    this.scanRows("markReplacedFiles", parameters);
  }

  /**
   * Deletes the root of a subtree and the first `limit` of its descendants by path, and returns the
   * deleted records. The whole subtree is deleted when there are fewer than `limit`.
   */
  deleteBatch(root: ResourceRecord, limit: number): ResourceRecord[] {
    const rows = refuseFull(() =>
      this.#connection.all(
        `DELETE FROM records WHERE records.id IN (
           SELECT id FROM records WHERE user_id = :user AND path = :path
           UNION ALL
           SELECT id FROM (
             SELECT id FROM records
             WHERE user_id = :user AND ${descendantOf("path", ":path")}
             ORDER BY path LIMIT :limit
           )
         )
         RETURNING ${RECORD_COLUMNS}`,
        { user: root.userId, path: root.path, limit },
      )
    );
    return rows.map(toRecord);
  }

  /** Plans a move, which {@link runPlan} runs. */
  planMove(placements: readonly Placement[], now: number): void {
    refuseFull(() => this.#plan.planMove(placements, now));
  }

  /** Plans a copy, which {@link runPlan} runs. */
  planCopy(placements: readonly Placement[], now: number): void {
    refuseFull(() => this.#plan.planCopy(placements, now));
  }

  /** Runs the plan for the next `limit` effects. The plan is done when it returns fewer. */
  runPlan(limit: number): TransferEffect[] {
    return refuseFull(() => this.#plan.run(limit));
  }

  /** Returns those of the hashes that no record has. */
  unreferenced(hashes: readonly string[]): string[] {
    const rows = this.#connection.all(
      `SELECT value AS hash FROM json_each(:hashes)
       WHERE NOT EXISTS (SELECT 1 FROM records WHERE hash = value AND hash <> '')`,
      { hashes: JSON.stringify(hashes) },
    );
    return rows.map((row) => String(row.hash));
  }

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: SqlParameters): SqlRow[] {
    return refuseFull(() => scanRows(this.#connection, statement, parameters));
  }

  get #connection(): Connection {
    return this.#parts.connection;
  }

  get #plan(): TransferPlan {
    return this.#parts.plan;
  }

  get #parts() {
    if (this.#opened === undefined) throw new Error("The database is not open");
    return this.#opened;
  }
}

function key({ userId, path }: { userId: number; path: string }): string {
  return `${userId}/${path}`;
}

/** Reports a statement that fails because the storage is full as such (C 2). */
function refuseFull<T>(statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    throw asStorageFull(error);
  }
}
