import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from "node:sqlite";

/** A row, by column name. */
export type Row = Record<string, SQLOutputValue>;

/** Values for the named parameters of a statement. */
export type Parameters = Record<string, SQLInputValue>;

/** How long a statement waits for another process, such as a backup, in milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** A connection to the database, with each statement prepared once. Blocks its thread. */
export class Connection implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, options: { readOnly: boolean }) {
    this.#database = new DatabaseSync(path, {
      readOnly: options.readOnly,
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    });
    // FULL: a commit is on the disk when it returns, also in WAL mode (C 5.6).
    if (!options.readOnly) {
      this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    }
  }

  /** Whether a transaction is open. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  all(sql: string, parameters: Parameters = {}): Row[] {
    return this.#prepared(sql).all(parameters);
  }

  get(sql: string, parameters: Parameters = {}): Row | undefined {
    return this.#prepared(sql).get(parameters);
  }

  run(sql: string, parameters: Parameters = {}): void {
    this.#prepared(sql).run(parameters);
  }

  /**
   * The rows one by one. Until it is through or returned, the statement is in use. Where SQLite fails
   * on the way it ends as if there were no more rows (Deno 2.9.6): the caller has to know the last.
   */
  iterate(sql: string, parameters: Parameters = {}): NodeJS.Iterator<Row> {
    return this.#prepared(sql).iterate(parameters);
  }

  /** Runs several statements, which take no parameters. */
  script(sql: string): void {
    this.#database.exec(sql);
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * Has SQLite put what it sorts and collects into a directory, in place of the system's own: for all
 * connections of this process. The directory must exist.
 */
export function keepTemporaryFilesIn(directory: string): void {
  using connection = new Connection(":memory:", { readOnly: false });
  connection.script(`PRAGMA temp_store_directory = '${directory.replaceAll("'", "''")}'`);
}
