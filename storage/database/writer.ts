import { AppError, quoted } from "../../core/errors.ts";
import type {
  NewRecord,
  Placement,
  ResourceRecord,
  Scope,
  TransferEffect,
} from "../../core/ports.ts";
import { Connection, type Parameters, type Row } from "./connection.ts";
import { COLUMNS, findByPath, split, toRecord } from "./lookup.ts";
import { migrate } from "./migrate.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";
import { asStorageFull } from "../disk/full.ts";
import { TransferPlan } from "./transfer_plan.ts";

/**
 * The one writing connection. It lives in a thread of its own (writer_worker.ts), where a commit may
 * wait for the disk. Whoever calls it keeps transactions apart.
 */
export class Writer {
  #opened: { readonly connection: Connection; readonly plan: TransferPlan } | undefined;
  /** The move or copy under way. */
  #effects: Iterator<TransferEffect, void> = [].values();

  /**
   * Opens the database, making or migrating it where needed. To be called once, first. Returns
   * whether it was new or empty.
   */
  open(path: string): boolean {
    const connection = new Connection(path, { readOnly: false });
    const before = migrate(connection);
    this.#opened = { connection, plan: new TransferPlan(connection) };
    return before === 0;
  }

  /**
   * Reads all of the database.
   *
   * @throws {Error} where something in it is damaged.
   */
  checkIntegrity(): void {
    const [first] = this.#connection.all("PRAGMA integrity_check(1)");
    const verdict = String(first?.integrity_check);
    if (verdict !== "ok") {
      throw new Error(`The database is damaged and has to be restored from a copy: ${verdict}`);
    }
  }

  close(): void {
    this.#opened?.connection[Symbol.dispose]();
  }

  begin(): void {
    // IMMEDIATE: the transaction that gets this far will not fail on a lock later.
    this.#connection.run("BEGIN IMMEDIATE");
  }

  savepoint(): void {
    this.#connection.run("SAVEPOINT work");
  }

  /** Undoes all since the last savepoint; false where the failure has ended the transaction. */
  rollbackWork(): boolean {
    if (!this.#connection.inTransaction) return false;
    this.#connection.run("ROLLBACK TO work");
    this.#connection.run("RELEASE work");
    return true;
  }

  commit(): void {
    refuseFull(() => this.#connection.run("COMMIT"));
  }

  /** Ends the transaction. Some failures have ended it already. */
  rollback(): void {
    if (this.#connection.inTransaction) this.#connection.run("ROLLBACK");
  }

  findByPath(scope: Scope, paths: readonly string[]): Map<string, ResourceRecord> {
    return findByPath(this.#connection, scope, paths);
  }

  insert(records: readonly NewRecord[]): ResourceRecord[] {
    this.#forgetReplaced(records);
    const rows = refuseFull(() =>
      this.#connection.all(
        `INSERT INTO records
           (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
         SELECT value ->> 'userId', value ->> 'path', value ->> 'parent', value ->> 'name',
           value ->> 'hash', value ->> 'size', value ->> 'crc32', value ->> 'isDir',
           value ->> 'createdAt', value ->> 'updatedAt'
         FROM json_each(:records) WHERE TRUE
         ON CONFLICT DO NOTHING
         RETURNING ${COLUMNS}`,
        { records: JSON.stringify(records.map((it) => ({ ...it, ...split(it.path) }))) },
      )
    );
    // The order of RETURNING is not promised.
    const inserted = new Map(rows.map(toRecord).map((record) => [key(record), record]));
    return records.map((record) => {
      const made = inserted.get(key(record));
      if (made !== undefined) return made;
      throw new AppError(
        "ErrResourcesAlreadyExists",
        `Cannot add ${quoted(record.path)}: a record has this path`,
      );
    });
  }

  /**
   * MD5 can be forged: content that comes in anew, while no record has its hash, may be other content
   * than what was scanned under this hash before. What was found then does not hold for it, and a scan
   * that was to read the content before has lost it.
   */
  #forgetReplaced(records: readonly NewRecord[]): void {
    const hashes = records.flatMap(({ hash }) => hash === "" ? [] : [hash]);
    if (hashes.length === 0) return;
    const parameters = { hashes: JSON.stringify(hashes) };
    this.scanRows("forgetReplacedResults", parameters);
    this.scanRows("markReplacedFiles", parameters);
  }

  /**
   * Removes the root of a subtree and up to `limit` of its descendants, in path order, and returns
   * what went. The subtree is gone when fewer than `limit` come back.
   */
  deleteSlice(root: ResourceRecord, limit: number): ResourceRecord[] {
    const rows = refuseFull(() =>
      this.#connection.all(
        `DELETE FROM records WHERE records.id IN (
           SELECT id FROM records WHERE user_id = :user AND path = :path
           UNION ALL
           SELECT id FROM (
             SELECT id FROM records
             WHERE user_id = :user AND path > :path || '/' AND path < :path || '0'
             ORDER BY path LIMIT :limit
           )
         )
         RETURNING ${COLUMNS}`,
        { user: root.userId, path: root.path, limit },
      )
    );
    return rows.map(toRecord);
  }

  /** Begins to move the sources, one after the other; {@link takeEffects} carries it out. */
  moveSubtrees(placements: readonly Placement[], now: number): void {
    this.#effects = this.#plan.move(placements, now);
  }

  /** Begins to copy the sources; {@link takeEffects} carries it out. */
  copySubtrees(placements: readonly Placement[], now: number): void {
    this.#effects = this.#plan.copy(placements, now);
  }

  /**
   * Goes on with the move or copy and returns the next of its effects. It is done when they are
   * fewer than `limit`.
   */
  takeEffects(limit: number): TransferEffect[] {
    const effects: TransferEffect[] = [];
    return refuseFull(() => {
      for (let next = this.#effects.next(); !next.done; next = this.#effects.next()) {
        effects.push(next.value);
        if (effects.length === limit) break;
      }
      return effects;
    });
  }

  unreferenced(hashes: readonly string[]): string[] {
    const rows = this.#connection.all(
      `SELECT value AS hash FROM json_each(:hashes)
       WHERE NOT EXISTS (SELECT 1 FROM records WHERE hash = value AND hash <> '')`,
      { hashes: JSON.stringify(hashes) },
    );
    return rows.map((row) => String(row.hash));
  }

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: Parameters): Row[] {
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

/** Says that the storage is full where that is why a statement failed (C 2). */
function refuseFull<T>(statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    throw asStorageFull(error);
  }
}
