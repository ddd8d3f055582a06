import type { DatabaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../postgres/database.ts";
import { holdOtherServers, requireNoServer as refuseServers } from "../../postgres/servers.ts";
import { isUnfinished, markUnfinished, unmarkUnfinished } from "../../postgres/unfinished.ts";
import { DatabaseRows } from "./database_rows.ts";
import { PostgresRowEngine } from "./postgres_row_engine.ts";

/** Opens the rows of a database, also of one that a migration has not filled yet. */
export async function openPostgresRows(address: DatabaseAddress): Promise<DatabaseRows> {
  return new DatabaseRows(new PostgresRowEngine(await openDatabase(address)));
}

/** @throws {Error} when a server uses the database. */
export async function requireNoServer(address: DatabaseAddress): Promise<void> {
  await using database = await openDatabase(address);
  await refuseServers(database, address.database);
}

/**
 * Keeps servers from starting over a database whose storage is open here.
 *
 * @throws {Error} when another server uses it.
 */
export async function holdDatabase(address: DatabaseAddress): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await openDatabase(address));
  opened.use(await holdOtherServers(database, address.database));
  return opened.move();
}

/**
 * Keeps servers away from a database that is empty, or that an interrupted migration has left.
 *
 * @throws {Error} when it is another one.
 */
export async function takeDatabase(address: DatabaseAddress): Promise<void> {
  await requireNoServer(address);
  await using database = await openDatabase(address);
  await database.use("writes", async (session) => {
    if (await isUnfinished(session)) return;
    const table = await new DatabaseRows(new PostgresRowEngine(database)).firstFilled();
    if (table !== undefined) {
      throw new Error(`The database "${address.database}" is not empty: ${table} has rows`);
    }
    await markUnfinished(session);
  });
}

/** Lets servers use a database. */
export async function releaseDatabase(address: DatabaseAddress): Promise<void> {
  await using database = await openDatabase(address);
  await database.use("long", async (session) => {
    // The engine plans its work by what it knows of the tables, and knew them empty.
    await session.script("ANALYZE");
    await unmarkUnfinished(session);
  });
}

function openDatabase(address: DatabaseAddress): Promise<Database> {
  return Database.open(address, { connections: 2, acceptUnfinished: true });
}
