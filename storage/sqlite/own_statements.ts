import type { RunStatement, Statements } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";

/** Runs the statements of a store on a connection of this thread, beside those of a server. */
export function statementsOn<Name extends string>(
  connection: Connection,
  statements: Readonly<Record<Name, string>>,
): Statements<Name> {
  const run: RunStatement<Name> = (name, parameters) =>
    Promise.resolve(connection.all(statements[name], parameters));
  return {
    ...{ find: run, read: run, once: run },
    async write(work) {
      connection.run("BEGIN IMMEDIATE");
      try {
        const result = await work(run);
        connection.run("COMMIT");
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.run("ROLLBACK");
        throw error;
      }
    },
  };
}
