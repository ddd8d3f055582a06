import type { Database } from "../../postgres/database.ts";
import { POSTGRES } from "../../postgres/dialect.ts";
import type { SqlValue } from "../../postgres/session.ts";
import type { SqlParameters } from "../../tables/dialect.ts";
import type { RowEngine, Statement } from "./row_engine.ts";
import { readColumns } from "./row_statements.ts";
import type { Row, Table, Value } from "./table.ts";

/** The rows of a database of PostgreSQL. */
export class PostgresRowEngine implements RowEngine {
  readonly dialect = {
    dialect: POSTGRES,
    noHash: "NULL",
    givenIds: "OVERRIDING SYSTEM VALUE",
  };
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async values(sql: string, parameters: SqlParameters = {}): Promise<Value[][]> {
    const rows = await this.#database.use("long", (session) => session.values(sql, parameters));
    return rows.map(toRow);
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[], void> {
    const { name, columns, key, where = "TRUE", rowsAtOnce } = table;
    // The order of bytes is that of the other engine, too.
    const order = key.map((column) =>
      columns[column] === "text" ? `${column} COLLATE "C"` : column
    );
    await using held = await this.#database.connect("long");
    const { session } = held;
    await session.begin("REPEATABLE READ READ ONLY");
    await session.script(
      `DECLARE carried NO SCROLL CURSOR FOR
       SELECT ${readColumns(table)} FROM ${name} WHERE ${where} ORDER BY ${order.join(", ")}`,
    );
    for (let done = false; !done;) {
      const rows = await session.fetch(`FETCH ${rowsAtOnce} FROM carried`);
      done = rows.length < rowsAtOnce;
      if (rows.length > 0) yield rows.map(toRow);
    }
    await session.commit();
    held.keep();
  }

  async write(statements: readonly Statement[]): Promise<void> {
    await this.#database.use("long", async (session) => {
      await session.begin();
      for (const [sql, parameters] of statements) await session.run(sql, parameters);
      await session.commit();
    });
  }

  async lastId(table: string): Promise<number> {
    const rows = await this.values(
      `SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${table}_id_seq`,
    );
    return Number(rows[0]?.[0] ?? 0);
  }

  setLastId(table: string, id: number): Statement {
    return [
      `SELECT setval('${table}_id_seq', greatest(:id::bigint, 1), :id::bigint > 0)`,
      { id },
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }
}

function toRow(values: readonly SqlValue[]): Value[] {
  return values.map((value) => typeof value === "boolean" ? Number(value) : value);
}
