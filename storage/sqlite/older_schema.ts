import type { Dialect } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { SQLITE } from "./dialect.ts";

/** Whether a database has a table or a view. One of an earlier version of the program lacks some. */
export function hasTable(connection: Connection, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = :name";
  return connection.get(sql, { name }) !== undefined;
}

/** The SQL of a database that an earlier version of the program may have written. */
export function dialectOf(connection: Connection): Dialect {
  const recordTables = SQLITE.recordTables.filter((table) => hasTable(connection, table));
  return { ...SQLITE, recordTables };
}
