import type { SqlParameters } from "../../tables/dialect.ts";
import type { RowDialect } from "./row_statements.ts";
import type { Row, Table, Value } from "./table.ts";

/** A statement with the values of its parameters. */
export type Statement = readonly [sql: string, parameters: SqlParameters];

/** Runs the statements of {@link DatabaseRows} on one database. */
export interface RowEngine extends AsyncDisposable {
  readonly dialect: RowDialect;
  /** The rows of a result as arrays. */
  values(sql: string, parameters?: SqlParameters): Promise<Value[][]>;
  /** The rows of a table, some at a time, in the order of their key. */
  pages(table: Table): AsyncGenerator<readonly Row[], void>;
  /** Runs statements in one transaction, which is durable afterwards. */
  write(statements: readonly Statement[]): Promise<void>;
  /** The last id that a table has used; 0 for none. */
  lastId(table: string): Promise<number>;
  /** The statement that makes the next id of a table greater than one. */
  setLastId(table: string, id: number): Statement;
}
