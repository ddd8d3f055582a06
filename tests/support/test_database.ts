import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Connection } from "../../storage/sqlite/connection.ts";
import type { SqlParameters, SqlRow } from "../../storage/tables/dialect.ts";
import { databaseUrlOf } from "./engines.ts";
import { until } from "./until.ts";

/** The database of a test server, whichever engine has it. */
export interface TestDatabase extends AsyncDisposable {
  all(sql: string, parameters?: SqlParameters): Promise<SqlRow[]>;
  get(sql: string, parameters?: SqlParameters): Promise<SqlRow | undefined>;
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /** Runs one or several statements. */
  script(sql: string): Promise<void>;
}

/** Opens the database of a data directory beside its server, without its checks. */
export async function openDatabase(dataDir: string): Promise<TestDatabase> {
  const url = await databaseUrlOf(dataDir);
  if (url !== undefined) return await openPostgres(url);
  return openSqlite(`${dataDir}/strongroom.db`, "PRAGMA ignore_check_constraints = ON");
}

/**
 * Opens an SQLite database beside a server in this thread. Waiting for a lock would block the thread, and the
 * server may have to end a transaction first, so each call tries again instead.
 */
export function openSqlite(path: string, pragmas = ""): TestDatabase {
  const connection = new Connection(path, { readOnly: false });
  connection.script(`PRAGMA busy_timeout = 0; ${pragmas}`);
  return {
    all: (sql, parameters) => whenUnlocked(() => connection.all(sql, parameters)),
    get: (sql, parameters) => whenUnlocked(() => connection.get(sql, parameters)),
    run: (sql, parameters) => whenUnlocked(() => connection.run(sql, parameters)),
    script: (sql) => whenUnlocked(() => connection.script(sql)),
    [Symbol.asyncDispose]() {
      connection[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

async function whenUnlocked<T>(work: () => T): Promise<T> {
  let done: { readonly result: T } | undefined;
  await until(() => {
    try {
      done = { result: work() };
    } catch (error) {
      if (!String(error).includes("database is locked")) throw error;
    }
    return done !== undefined;
  });
  assert.ok(done);
  return done.result;
}

async function openPostgres(url: string): Promise<TestDatabase> {
  // Most tests use SQLite, and each file of tests loads its modules anew.
  const { Database } = await import("../../storage/postgres/database.ts");
  const database = await Database.open(databaseAddress(url), { connections: 1 });
  // Triggers and foreign keys would undo what tests do.
  await database.use(
    "writes",
    (session) => session.script("SET session_replication_role = replica"),
  );
  return {
    all: (sql, parameters) => database.use("writes", (session) => session.all(sql, parameters)),
    get: (sql, parameters) => database.use("writes", (session) => session.get(sql, parameters)),
    run: (sql, parameters) => database.use("writes", (session) => session.run(sql, parameters)),
    script: (sql) => database.use("writes", (session) => session.script(sql)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
