import { Postgres } from "./postgres.ts";

let engine: Postgres | undefined;
let isDeclared = false;

/**
 * A PostgreSQL that all files of tests share that a thread runs, from before their first test on. It is for tests
 * that use databases of their own, and neither stop it nor set it up.
 *
 * @returns what returns it in a test.
 */
export function sharedPostgres(): () => Postgres {
  if (!isDeclared && Postgres.isInstalled) {
    isDeclared = true;
    Deno.test.beforeAll(async () => {
      engine = await Postgres.start();
    });
    Deno.test.afterAll(() => engine?.[Symbol.asyncDispose]());
  }
  return () => {
    if (engine === undefined) throw new Error("No PostgreSQL: it runs as long as tests do");
    return engine;
  };
}
