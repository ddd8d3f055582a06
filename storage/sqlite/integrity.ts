import type { Connection } from "./connection.ts";
import { MIB } from "../../schemas/units.ts";

/** Primary result codes of SQLite for a damaged database: CORRUPT, NOTADB. */
const DAMAGE_CODES: ReadonlySet<number> = new Set([11, 26]);

/** Whether SQLite could not read a database because it is damaged. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && "errcode" in error &&
    DAMAGE_CODES.has(Number(error.errcode) & 0xff);
}

/** A database of this size is read as a whole in about 0.1 s. */
const MAX_SMALL_BYTES = 4 * MIB;

/**
 * Reads the whole database and checks it.
 *
 * @throws {Error} when it is damaged.
 */
export function checkIntegrity(connection: Connection): void {
  const [first] = connection.all("PRAGMA integrity_check(1)");
  const verdict = String(first?.integrity_check);
  if (verdict !== "ok") throw damaged(verdict);
}

/**
 * Finds paths of records that were changed outside of SQLite: a path that is not its parent and name.
 * Reads the records but not their indexes, about 0.25 s for each million, unlike
 * {@link checkIntegrity}, which takes nearly 20 s for as many. A small database is checked as a whole.
 *
 * @throws {Error} when it is damaged.
 */
export function checkPaths(connection: Connection): void {
  const [size] = connection.all(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  );
  if (Number(size?.bytes) <= MAX_SMALL_BYTES) return checkIntegrity(connection);
  const [broken] = connection.all(
    `SELECT id FROM records NOT INDEXED
     WHERE path IS NOT ifnull(parent || '/', '') || name LIMIT 1`,
  );
  if (broken !== undefined) throw damaged(`the path of record ${broken.id}`);
}

function damaged(what: string): Error {
  return new Error(
    `The database is damaged: ${what}. Run strongroom check --repair, or restore a backup`,
  );
}
