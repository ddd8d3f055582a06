import type { Database } from "./database.ts";

/**
 * Tells databases apart that are copies of one another: by the engine, by the database in it, and by a table,
 * which a restored dump creates anew. An engine that takes over from a lost one has the same.
 */
export const DATABASE_ID = `((SELECT system_identifier FROM pg_control_system())
  || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database())
  || ' ' || 'event_channels'::regclass::oid)`;

/** Also by the timeline, which is another one after a restore to a moment, or when another engine takes over. */
const INCARNATION = `(SELECT system_identifier FROM pg_control_system()) || ' '
  || left(pg_walfile_name(pg_current_wal_lsn()), 8) || ' ' || 'event_channels'::regclass::oid`;

/**
 * Has subscribers list again, and people sign in again, if the database has been restored since a server started last: its events
 * count on from numbers that others may have had. Returns whether it has.
 */
export function noteRestore(database: Database): Promise<boolean> {
  return database.use("writes", async (session) => {
    await session.begin();
    const row = await session.get(
      `SELECT incarnation AS former, ${INCARNATION} AS present FROM storage_state FOR UPDATE`,
    );
    const { former = null, present = null } = row ?? {};
    const isRestored = former !== null && former !== present;
    if (former !== present) {
      await session.run("UPDATE storage_state SET incarnation = :present::text", { present });
    }
    if (isRestored) {
      await session.run(
        "UPDATE event_channels SET epoch = replace(gen_random_uuid()::text, '-', '')",
      );
      // One that has ended since must not be open again, and a client that holds a lock knows of nothing restored.
      await session.run("DELETE FROM console_sessions");
      await session.run("DELETE FROM invitations");
      await session.run("DELETE FROM device_logins");
      await session.run("DELETE FROM locks");
    }
    await session.commit();
    return isRestored;
  });
}
