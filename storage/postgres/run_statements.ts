import type { RunStatement, Statements } from "../tables/dialect.ts";
import type { Database } from "./database.ts";
import type { PostgresTransaction } from "./write_transaction.ts";

export interface StatementsParts {
  readonly database: Database;
  /** Runs work in a write transaction, again if it fails only because of others. */
  readonly transact: <T>(work: (transaction: PostgresTransaction) => Promise<T>) => Promise<T>;
}

/** Runs the statements of one store. */
export function statementsOf<Name extends string>(
  statements: Readonly<Record<Name, string>>,
  { database, transact }: StatementsParts,
): Statements<Name> {
  const read: RunStatement<Name> = (name, parameters) => database.all(statements[name], parameters);
  return {
    find: read,
    read,
    once: (name, parameters) =>
      database.use("writes", (session) => session.all(statements[name], parameters)),
    write: (work, userId) =>
      transact((transaction) => {
        const trees = userId === undefined ? [] : [userId];
        return work((name, parameters) =>
          transaction.run(trees, (session) => session.all(statements[name], parameters))
        );
      }),
  };
}
