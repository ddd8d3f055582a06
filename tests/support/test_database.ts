import { databaseAddress } from "../../schemas/database_url.ts";
import { Connection } from "../../storage/database/connection.ts";
import { Database } from "../../storage/postgres/database.ts";
import type { SqlParameters, SqlRow } from "../../storage/sql/dialect.ts";
import { databaseUrlOf } from "./engines.ts";

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
  return url === undefined ? openSqlite(dataDir) : await openPostgres(url);
}

function openSqlite(dataDir: string): TestDatabase {
  const connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
  connection.script("PRAGMA ignore_check_constraints = ON");
  return {
    all: (sql, parameters) => Promise.resolve(connection.all(sql, parameters)),
    get: (sql, parameters) => Promise.resolve(connection.get(sql, parameters)),
    run: (sql, parameters) => Promise.resolve(connection.run(sql, parameters)),
    script: (sql) => Promise.resolve(connection.script(sql)),
    [Symbol.asyncDispose]() {
      connection[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

async function openPostgres(url: string): Promise<TestDatabase> {
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
