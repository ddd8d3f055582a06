/** Records of either engine, for content in an object store (C 23). */

import { databaseAddress } from "../../schemas/database_url.ts";
import { SqliteResourceStore } from "../../storage/sqlite/sqlite_resource_store.ts";
import { Database } from "../../storage/postgres/database.ts";
import type { PostgresResourceStore } from "../../storage/postgres/postgres_resource_store.ts";
import type { SqlRow } from "../../storage/tables/dialect.ts";
import { Postgres } from "./postgres.ts";
import { openPostgresStore } from "./postgres_store.ts";
import { sharedPostgres } from "./shared_postgres.ts";
import { openSqlite } from "./test_database.ts";

/** Records that a server has opened. */
export interface OpenRecords extends AsyncDisposable {
  readonly records: SqliteResourceStore | PostgresResourceStore;
  /** Whether other servers take this one for alive. */
  readonly mayWrite?: () => boolean;
  /** Runs a statement on a connection of its own. */
  rows(sql: string): Promise<SqlRow[]>;
}

/** A database, which servers may open. */
export interface RecordsRoom {
  /** What `STRONGROOM_DATABASE_URL` is for servers. */
  readonly url: string | undefined;
  open(): Promise<OpenRecords>;
}

export interface RecordsEngine {
  readonly name: string;
  readonly isInstalled: boolean;
  /** @param dataDir A directory for a database in a file. */
  room(dataDir: string): Promise<RecordsRoom>;
}

export const SQLITE_RECORDS: RecordsEngine = {
  name: "SQLite",
  isInstalled: true,
  room: (dataDir) =>
    Promise.resolve({ url: undefined, open: () => openSqliteRecords(`${dataDir}/strongroom.db`) }),
};

/** {@link sharedPostgres} */
export function postgresRecords(): RecordsEngine {
  const engine = sharedPostgres();
  return {
    name: "PostgreSQL",
    isInstalled: Postgres.isInstalled,
    async room() {
      const url = await engine().createDatabase();
      return { url, open: () => openPostgres(url) };
    },
  };
}

async function openSqliteRecords(path: string): Promise<OpenRecords> {
  await using made = new AsyncDisposableStack();
  const records = made.use(await SqliteResourceStore.open(path));
  const database = made.use(openSqlite(path));
  const kept = made.move();
  return {
    records,
    rows: (sql) => database.all(sql),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Opens a database as a server of its own. */
export async function openPostgres(url: string): Promise<OpenRecords> {
  await using made = new AsyncDisposableStack();
  const database = made.use(await Database.open(databaseAddress(url), { connections: 1 }));
  const server = crypto.randomUUID();
  const records = made.use(await openPostgresStore(url, { server, onFatal: () => {} }));
  await records.takeLease();
  const kept = made.move();
  return {
    records,
    mayWrite: () => records.isAlive,
    rows: (sql) => database.use("writes", (session) => session.all(sql)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
