import type { Database } from "./database.ts";
import { LOCKS } from "./locks.ts";

/** How often to look whether a server has come back. */
const INTERVAL_MS = 250;

/** How many servers use the database, or were killed a moment ago. */
export async function liveServers(database: Database): Promise<number> {
  const row = await database.get(
    "SELECT count(*) AS servers FROM servers WHERE expires_at > clock_timestamp()",
  );
  return Number(row?.servers);
}

/**
 * Makes sure that no server uses the database. While the engine was away, none could renew its lease: those
 * whose leases have run out are waited for, for two thirds of a lease.
 *
 * @throws {Error} when a server uses it.
 */
export async function requireNoServer(database: Database, name: string): Promise<void> {
  const row = await database.get(
    "SELECT max(extract(epoch FROM expires_at - renewed_at)) AS lease FROM servers",
  );
  const graceMs = Number(row?.lease ?? 0) * 1000 * 2 / 3;
  const started = performance.now();
  let servers = await liveServers(database);
  while (servers === 0 && performance.now() - started < graceMs) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    servers = await liveServers(database);
  }
  if (servers === 0) {
    await endLeases(database);
    // Another one may have come back just before that.
    servers = await liveServers(database);
  }
  if (servers > 0) throw inUse(servers, name);
}

function inUse(servers: number, name: string): Error {
  const users = servers === 1 ? "1 server" : `${servers} servers`;
  return new Error(
    `The database "${name}" is in use by ${users}, or was a moment ago: stop them first`,
  );
}

/** The next one who asks need not wait. A server that comes back later finds that it must end. */
async function endLeases(database: Database): Promise<void> {
  await database.use(
    "writes",
    (session) => session.run("DELETE FROM servers WHERE expires_at < clock_timestamp()"),
  );
}

/** Has servers that start wait until the result is disposed of, or this process ends. */
export async function holdServers(database: Database): Promise<AsyncDisposable> {
  const held = await database.connect("session");
  try {
    // A start takes it to migrate the schema.
    await held.session.run("SELECT pg_advisory_lock(:lock::bigint)", { lock: LOCKS.migration });
    return held;
  } catch (error) {
    await held[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * {@link holdServers} for a process that has a lease itself.
 *
 * @throws {Error} when another server uses the database.
 */
export async function holdOtherServers(
  database: Database,
  name: string,
): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  opened.use(await holdServers(database));
  const others = await liveServers(database) - 1;
  if (others > 0) throw inUse(others, name);
  return opened.move();
}
