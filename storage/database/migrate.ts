import type { Connection } from "./connection.ts";
import records from "./migrations/0001_records.sql" with { type: "text" };
import pathColumns from "./migrations/0002_path_columns.sql" with { type: "text" };
import scans from "./migrations/0003_scans.sql" with { type: "text" };

/** The migrations in order; the one at index i leads to schema version i + 1. Never edited, only added to. */
const MIGRATIONS: readonly string[] = [records, pathColumns, scans];

/**
 * Brings the database to the schema of this program, a migration a transaction. Returns the version
 * that it had, which is 0 for a new one.
 *
 * @throws {Error} where the database was written by a newer program.
 */
export function migrate(connection: Connection): number {
  const version = Number(connection.get("PRAGMA user_version")?.user_version);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `The database has schema version ${version}, and this program knows up to ${MIGRATIONS.length}`,
    );
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue;
    try {
      connection.script(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT;`);
    } catch (error) {
      if (connection.inTransaction) connection.script("ROLLBACK");
      throw error;
    }
  }
  return version;
}
