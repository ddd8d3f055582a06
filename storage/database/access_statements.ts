import type { Connection, SqlParameters, SqlRow } from "./connection.ts";
import { CREDENTIAL_STATEMENTS } from "./credential_statements.ts";
import { LINK_STATEMENTS } from "./link_statements.ts";

/** All statements about who has access, by name: links and credentials. */
const ACCESS_STATEMENTS = { ...LINK_STATEMENTS, ...CREDENTIAL_STATEMENTS } as const;

export type AccessStatement = keyof typeof ACCESS_STATEMENTS;

/** Runs a statement and returns its rows. */
export function accessRows(
  connection: Connection,
  statement: AccessStatement,
  parameters: SqlParameters,
): SqlRow[] {
  return connection.all(ACCESS_STATEMENTS[statement], parameters);
}
