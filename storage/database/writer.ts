import { dirname } from "node:path/posix";
import { AppError, quoted } from "../../core/errors.ts";
import type {
  NewRecord,
  Placement,
  ResourceRecord,
  Scope,
  TransferEffect,
} from "../../core/ports.ts";
import { allocateLog } from "./allocate_log.ts";
import { Connection, type SqlParameters, type SqlRow } from "./connection.ts";
import {
  type ContentRow,
  type FoundContents,
  putContents,
  removeContents,
  replaceContent,
} from "./contents.ts";
import { generationOf, OLDER_DATABASE } from "./generation.ts";
import { checkIntegrity, checkPaths } from "./integrity.ts";
import { findByPath, pathColumns, RECORD_COLUMNS, toRecord } from "./lookup.ts";
import { migrate } from "./migrate.ts";
import { allocateSharedMemory } from "./shared_memory.ts";
import { scanRows, type ScanStatement } from "./scan_statements.ts";
import { Ballast } from "../disk/ballast.ts";
import { descendantOf } from "./subtree.ts";
import { Transactions } from "./transactions.ts";
import { TransferPlan } from "./transfer_plan.ts";
import { upkeepRows, type UpkeepStatement } from "./upkeep_statements.ts";

/** Statements whose rows may be large. */
const GROWING: ReadonlySet<ScanStatement> = new Set([
  "insertFiles",
  "keepResult",
  "addReportChunk",
]);

export interface WriterOptions {
  /** The space that uploads leave free. */
  readonly reserveBytes: number;
  /** A database with a lower generation is refused. */
  readonly minGeneration: number;
}

/** A database, as it was before it was opened. */
export interface DatabaseState {
  /** Whether the database was new or empty. */
  readonly isNew: boolean;
  readonly generation: number;
}

interface OpenDatabase {
  readonly connection: Connection;
  /** See {@link allocateSharedMemory}. */
  readonly shared: Disposable;
  readonly transactions: Transactions;
  readonly plan: TransferPlan;
}

/**
 * The only connection that writes. Runs in a thread of its own (writer_worker.ts), because a commit
 * waits for the disk. The caller runs one transaction at a time.
 */
export class Writer {
  #opened: OpenDatabase | undefined;

  /**
   * Opens the database; creates and migrates it as needed. Call it once, before other methods.
   *
   * @throws {Error} with the code {@link OLDER_DATABASE} when the generation is too low. Nothing has
   *   been written then.
   */
  open(path: string, { reserveBytes, minGeneration }: WriterOptions): DatabaseState {
    const ballast = new Ballast(dirname(path), reserveBytes);
    // A full disk has no room for the memory that the connections share.
    ballast.adjust();
    const generation = readGeneration(path);
    if (generation < minGeneration) {
      const message = `Generation ${generation} instead of ${minGeneration}`;
      throw Object.assign(new Error(message), { code: OLDER_DATABASE });
    }
    const connection = new Connection(path, { readOnly: false });
    const shared = allocateSharedMemory(path, connection, ballast);
    const before = migrate(connection);
    if (reserveBytes > 0) allocateLog(path, ballast);
    this.#opened = {
      connection,
      shared,
      transactions: new Transactions(connection, ballast),
      plan: new TransferPlan(connection),
    };
    return { isNew: before === 0, generation };
  }

  /** {@link checkIntegrity} */
  checkIntegrity(): void {
    checkIntegrity(this.#connection);
  }

  /** {@link checkPaths} */
  checkPaths(): void {
    checkPaths(this.#connection);
  }

  close(): void {
    this.#opened?.connection[Symbol.dispose]();
    this.#opened?.shared[Symbol.dispose]();
  }

  begin(): void {
    this.#transactions.begin();
  }

  savepoint(): void {
    this.#transactions.savepoint();
  }

  rollbackWork(): boolean {
    return this.#transactions.rollbackWork();
  }

  commit(): number | undefined {
    return this.#transactions.commit();
  }

  rollback(): void {
    this.#transactions.rollback();
  }

  touch(): void {
    this.#transactions.touch();
  }

  restartLog(): void {
    this.#transactions.restartLog();
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
    const rows = this.#transactions.refuseFull(() =>
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
    const rows = this.#transactions.refuseFull(() =>
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
    this.#transactions.refuseFull(() => this.#plan.planMove(placements, now));
  }

  /** Plans a copy, which {@link runPlan} runs. */
  planCopy(placements: readonly Placement[], now: number): void {
    this.#transactions.refuseGrowth();
    this.#transactions.refuseFull(() => this.#plan.planCopy(placements, now));
  }

  /** Runs the plan for the next `limit` effects. The plan is done when it returns fewer. */
  runPlan(limit: number): TransferEffect[] {
    return this.#transactions.refuseFull(() => this.#plan.run(limit));
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

  /** {@link putContents} */
  putContents(contents: readonly ContentRow[], now: number): FoundContents {
    return this.#transactions.refuseFull(() => putContents(this.#connection, contents, now));
  }

  /** {@link replaceContent} */
  replaceContent(content: ContentRow): void {
    this.#transactions.refuseFull(() => replaceContent(this.#connection, content));
  }

  /** {@link removeContents} */
  removeContents(hashes: readonly string[]): void {
    this.#transactions.refuseFull(() => removeContents(this.#connection, hashes));
  }

  /** Runs a statement about scans and returns its rows. */
  scanRows(statement: ScanStatement, parameters: SqlParameters): SqlRow[] {
    if (GROWING.has(statement)) this.#transactions.refuseGrowth();
    return this.#transactions.refuseFull(() => scanRows(this.#connection, statement, parameters));
  }

  /** Runs a statement about stored content and returns its rows. */
  upkeepRows(statement: UpkeepStatement, parameters: SqlParameters): SqlRow[] {
    return this.#transactions.refuseFull(() => upkeepRows(this.#connection, statement, parameters));
  }

  get #connection(): Connection {
    return this.#parts.connection;
  }

  get #transactions(): Transactions {
    return this.#parts.transactions;
  }

  get #plan(): TransferPlan {
    return this.#parts.plan;
  }

  get #parts() {
    if (this.#opened === undefined) throw new Error("The database is not open");
    return this.#opened;
  }
}

/** Reads the generation on a connection that writes nothing, not even when it is closed. */
function readGeneration(path: string): number {
  using connection = new Connection(path, { readOnly: true });
  return generationOf(connection);
}

function key({ userId, path }: { userId: number; path: string }): string {
  return `${userId}/${path}`;
}
