import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import type { SqlParameters, SqlRow } from "../tables/dialect.ts";

/** What the type library (Deno 2.9.6) lacks of a statement that returns arrays. */
type ArrayStatement = Omit<StatementSync, "all"> & {
  setReturnArrays(enabled: boolean): void;
  all(parameters: SqlParameters): SQLOutputValue[][];
};

/** How long a statement waits for the lock of another process, such as a backup. */
const BUSY_TIMEOUT_MS = 10_000;

/** A connection to the database. Prepares each statement once. Its calls block their thread. */
export class Connection implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Those that return arrays. */
  readonly #forValues = new Map<string, StatementSync>();
  #enforced = true;

  constructor(path: string, options: { readOnly: boolean }) {
    this.#database = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    if (options.readOnly) return;
    try {
      // Lets free pages be returned to the file system. Only possible in a new database, as the first step.
      if (this.get("PRAGMA page_count")?.page_count === 0) {
        this.script("PRAGMA auto_vacuum = INCREMENTAL");
      }
      // FULL makes a commit durable before it returns, in WAL mode too (C 5.6).
      this.script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Whether transactions that begin from now on check foreign keys. */
  enforceForeignKeys(enforce: boolean): void {
    if (enforce === this.#enforced) return;
    this.#database.exec(`PRAGMA foreign_keys = ${enforce ? "ON" : "OFF"}`);
    this.#enforced = enforce;
  }

  all(sql: string, parameters: SqlParameters = {}): SqlRow[] {
    return this.#prepared(sql).all(parameters);
  }

  /** Like {@link all}, but returns the values of each row in the order of the columns, in half the time. */
  values(sql: string, parameters: SqlParameters = {}): SQLOutputValue[][] {
    const statement = this.#preparedIn(this.#forValues, sql) as unknown as ArrayStatement;
    statement.setReturnArrays(true);
    return statement.all(parameters);
  }

  get(sql: string, parameters: SqlParameters = {}): SqlRow | undefined {
    return this.#prepared(sql).get(parameters);
  }

  /** Runs a statement without a result, and returns how many rows it changed. */
  run(sql: string, parameters: SqlParameters = {}): number {
    return Number(this.#prepared(sql).run(parameters).changes);
  }

  /**
   * Returns the rows one at a time. The statement is in use until the iterator ends or is returned.
   * When SQLite fails in between, the iterator ends as if there were no more rows (Deno 2.9.6), so
   * the caller must be able to recognize the last row.
   */
  iterate(sql: string, parameters: SqlParameters = {}): NodeJS.Iterator<SqlRow> {
    return this.#prepared(sql).iterate(parameters);
  }

  /** Runs several statements, without parameters. */
  script(sql: string): void {
    this.#database.exec(sql);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#forValues.clear();
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    return this.#preparedIn(this.#statements, sql);
  }

  #preparedIn(statements: Map<string, StatementSync>, sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * Makes SQLite keep temporary tables and sort files in a directory instead of the system's. Applies
 * to all connections of this process. The directory must exist.
 */
export function setTempDirectory(directory: string): void {
  using connection = new Connection(":memory:", { readOnly: false });
  connection.script(`PRAGMA temp_store_directory = '${directory.replaceAll("'", "''")}'`);
}
