import type { Connection } from "../../sqlite/connection.ts";
import { SQLITE } from "../../sqlite/dialect.ts";
import type { SqlParameters } from "../../tables/dialect.ts";
import type { RowEngine, Statement } from "./row_engine.ts";
import { readColumns } from "./row_statements.ts";
import type { Row, Table, Value } from "./table.ts";

/** The rows of a database of SQLite. Its calls block the thread. */
export class SqliteRowEngine implements RowEngine {
  readonly dialect = { dialect: SQLITE, noHash: "''", givenIds: "" };
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  values(sql: string, parameters: SqlParameters = {}): Promise<Value[][]> {
    return Promise.resolve(this.#connection.values(sql, parameters).map(toRow));
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[], void> {
    const { name, key, where = "TRUE", rowsAtOnce } = table;
    const keys = key.join(", ");
    const page = (after: string) =>
      `SELECT ${readColumns(table)}, ${keys} FROM ${name} WHERE (${where}) AND ${after}
       ORDER BY ${keys} LIMIT ${rowsAtOnce}`;
    const next = page(`(${keys}) > (${key.map((column) => `:after_${column}`).join(", ")})`);
    const { length } = Object.keys(table.columns);
    for (let rows = await this.values(page("TRUE")); rows.length > 0;) {
      yield rows.map((row) => row.slice(0, length));
      if (rows.length < rowsAtOnce) return;
      const last = rows.at(-1)?.slice(length) ?? [];
      const after = key.map((column, index) => [`after_${column}`, last[index] ?? null]);
      rows = await this.values(next, Object.fromEntries(after));
    }
  }

  write(statements: readonly Statement[]): Promise<void> {
    this.#connection.script("BEGIN IMMEDIATE");
    try {
      for (const [sql, parameters] of statements) this.#connection.run(sql, parameters);
      this.#connection.script("COMMIT");
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.script("ROLLBACK");
      throw error;
    }
    return Promise.resolve();
  }

  async lastId(table: string): Promise<number> {
    const rows = await this.values("SELECT seq FROM sqlite_sequence WHERE name = :table", {
      table,
    });
    return Number(rows[0]?.[0] ?? 0);
  }

  setLastId(table: string, id: number): Statement {
    // The table has no key. There is a row if the table ever had one.
    return [
      `INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
       SELECT (SELECT rowid FROM sqlite_sequence WHERE name = :table), :table, :id`,
      { table, id },
    ];
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#connection[Symbol.dispose]();
    return Promise.resolve();
  }
}

function toRow(values: readonly unknown[]): Value[] {
  return values.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    if (value instanceof Uint8Array) return value;
    throw new Error(`A column holds a value of an unknown type: ${typeof value}`);
  });
}
