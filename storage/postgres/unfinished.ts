import type { Session } from "./session.ts";

/** Is there while strongroom migrate fills the database, and after a migration that did not end. */
const TABLE = "unfinished_migration";

/** Whether a migration to the database has not ended. */
export async function isUnfinished(session: Session): Promise<boolean> {
  const row = await session.get(`SELECT to_regclass('${TABLE}') IS NOT NULL AS found`);
  return row?.found === true;
}

/** @throws {Error} when a migration to the database has not ended. */
export async function refuseUnfinished(session: Session): Promise<void> {
  if (!await isUnfinished(session)) return;
  throw new Error(
    "A strongroom is being migrated to the database, or that was interrupted: " +
      "run strongroom migrate again",
  );
}

/** Keeps servers away from the database. */
export async function markUnfinished(session: Session): Promise<void> {
  await session.run(`CREATE TABLE IF NOT EXISTS ${TABLE} ()`);
}

/** Lets servers use the database. */
export async function unmarkUnfinished(session: Session): Promise<void> {
  await session.run(`DROP TABLE ${TABLE}`);
}
