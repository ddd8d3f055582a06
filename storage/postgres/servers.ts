import type { Database } from "./database.ts";
import { LOCKS } from "./locks.ts";

/** How many servers use the database, or were killed a moment ago. */
export async function liveServers(database: Database): Promise<number> {
  const row = await database.get(
    "SELECT count(*) AS servers FROM servers WHERE expires_at > clock_timestamp()",
  );
  return Number(row?.servers);
}

/** @throws {Error} when a server uses the database. */
export async function requireNoServer(database: Database, name: string): Promise<void> {
  const servers = await liveServers(database);
  if (servers === 0) return;
  throw new Error(
    `${servers} servers use the database "${name}", or were killed a moment ago: stop them first`,
  );
}

/** Has servers that start wait until the result is disposed of, or this process ends. */
export async function holdServers(database: Database): Promise<AsyncDisposable> {
  const held = await database.connect("long");
  try {
    // A start takes it to migrate the schema.
    await held.session.run("SELECT pg_advisory_lock(:lock::bigint)", { lock: LOCKS.migration });
    return held;
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}
