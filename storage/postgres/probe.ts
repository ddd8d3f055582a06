import type { Database } from "./database.ts";

/**
 * Fills some pages of a file of the engine, which a full disk refuses, and empties it again. The table is that
 * of the connection, so nothing of it is left, and no other server waits for it.
 */
const PROBE = `BEGIN;
  CREATE TEMP TABLE IF NOT EXISTS probe (filling text) ON COMMIT DELETE ROWS;
  INSERT INTO pg_temp.probe SELECT repeat('x', 1000) FROM generate_series(1, 64);
  COMMIT`;

const MAX_SILENCE_MS = 2000;

/**
 * Checks in one round trip that the engine can store something.
 *
 * @throws {AppError} when it cannot be reached, only reads, or is full.
 */
export async function probeDatabase(database: Database): Promise<void> {
  await database.use("writes", (session) => {
    // The next probe is to find an engine that is back.
    session.silence.ms = MAX_SILENCE_MS;
    return session.script(PROBE);
  });
}
