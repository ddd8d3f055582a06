import type { ContentAmount } from "../../core/content_changes.ts";
import type { Connection, SqlParameters, SqlRow } from "./connection.ts";

/** The statements about objects of a content store (C 23), by name. */
export const OBJECT_STATEMENTS = {
  arrive: "INSERT INTO objects (key, state) VALUES (:key, 'arriving')",
  /** Nothing more is expected of objects, unless they are content now. */
  giveUp: `UPDATE objects SET state = 'leaving', due_at = :now
    WHERE key IN (SELECT value FROM json_each(:keys)) AND state = 'arriving' AND waiting IS NULL`,
  giveUpAll: `UPDATE objects SET state = 'leaving', due_at = :now
    WHERE state = 'arriving' AND waiting IS NULL`,
  wait: "UPDATE objects SET waiting = :id WHERE key = :key AND state = 'arriving' RETURNING key",
  waiting: "SELECT key FROM objects WHERE waiting = :id AND state = 'arriving'",
  allWaiting: "SELECT waiting AS id FROM objects WHERE waiting IS NOT NULL",
  endWait: `UPDATE objects SET state = 'leaving', waiting = NULL, due_at = :now
    WHERE waiting = :id`,
  due: `SELECT key FROM objects WHERE state = 'leaving' AND due_at <= :now
    ORDER BY due_at LIMIT :limit`,
  /** Objects that were deleted for the second time are done with. */
  forget: `DELETE FROM objects WHERE key IN (SELECT value FROM json_each(:keys))
    AND state = 'leaving' AND deletions > 0`,
  deleted: `UPDATE objects SET deletions = deletions + 1, due_at = :due
    WHERE key IN (SELECT value FROM json_each(:keys)) AND state = 'leaving'`,
  place: "SELECT size, crc32, bytes, object FROM contents WHERE hash = :hash",
  /** Contents whose hash has a prefix, and their objects. */
  places: `SELECT hash, object FROM contents
    WHERE hash >= :prefix AND hash < :prefix || 'g' AND (bytes IS NOT NULL OR object IS NOT NULL)`,
  /** Contents in objects whose names have a prefix. */
  contentsIn: `SELECT hash, object, size FROM contents
    WHERE object >= :prefix AND object < :prefix || 'g'`,
  inFiles: `SELECT contents.hash AS hash FROM contents
    WHERE bytes IS NULL AND object IS NULL
      AND EXISTS (SELECT 1 FROM records WHERE records.hash = contents.hash AND hash <> '') LIMIT 1`,
  inObjects: `SELECT 1 FROM contents WHERE object IS NOT NULL
    UNION ALL SELECT 1 FROM objects UNION ALL SELECT 1 FROM quarantine LIMIT 1`,
  strongroomId: "SELECT strongroom_id FROM storage_state",
  quarantined: "SELECT hash FROM quarantine WHERE hash > :after ORDER BY hash LIMIT :limit",
  giveBack: `INSERT OR IGNORE INTO contents (hash, size, crc32, sha256, created_at, bytes, object)
    SELECT hash, size, crc32, sha256, created_at, bytes, object FROM quarantine
    WHERE hash IN (SELECT value FROM json_each(:hashes)) RETURNING hash, size`,
  dropGivenBack: "DELETE FROM quarantine WHERE hash IN (SELECT value FROM json_each(:hashes))",
  leaveExpired: `INSERT INTO objects (key, state, due_at)
    SELECT object, 'leaving', :now FROM quarantine
    WHERE taken_at < :before AND object IS NOT NULL`,
  dropExpired: "DELETE FROM quarantine WHERE taken_at < :before RETURNING size",
} as const;

export type ObjectStatement = keyof typeof OBJECT_STATEMENTS;

/** Runs a statement and returns its rows. */
export function objectRows(
  connection: Connection,
  statement: ObjectStatement,
  parameters: SqlParameters,
): SqlRow[] {
  return connection.all(OBJECT_STATEMENTS[statement], parameters);
}

/**
 * Notes that an object has arrived: it is content in this transaction.
 *
 * @throws {Error} when it was given up meanwhile.
 */
export function endArrival(connection: Connection, key: string): void {
  const sql = "DELETE FROM objects WHERE key = :key AND state = 'arriving'";
  if (connection.run(sql, { key }) === 0) throw new Error(`The object ${key} was given up`);
}

/** Notes that an object is content no more. */
export function beginLeaving(connection: Connection, key: string): void {
  connection.run("INSERT INTO objects (key, state, due_at) VALUES (:key, 'leaving', :now)", {
    key,
    now: Date.now(),
  });
}

/** Moves contents into the table `quarantine`. What that has of them leaves. */
export function quarantineContents(
  connection: Connection,
  hashes: readonly string[],
): ContentAmount {
  const parameters = { hashes: JSON.stringify(hashes) };
  const listed = "hash IN (SELECT value FROM json_each(:hashes))";
  const former = connection.all(
    `DELETE FROM quarantine WHERE ${listed} AND hash IN (SELECT hash FROM contents)
     RETURNING object`,
    parameters,
  );
  for (const { object } of former) {
    if (typeof object === "string") beginLeaving(connection, object);
  }
  const taken = connection.all(
    `INSERT INTO quarantine (hash, size, crc32, sha256, created_at, bytes, object, taken_at)
     SELECT hash, size, crc32, sha256, created_at, bytes, object, :now FROM contents
     WHERE ${listed} RETURNING size`,
    { ...parameters, now: Date.now() },
  );
  connection.run(`DELETE FROM contents WHERE ${listed}`, parameters);
  return amountOf(taken);
}

/** How much content the rows are of. */
export function amountOf(rows: readonly SqlRow[]): ContentAmount {
  return { count: rows.length, bytes: rows.reduce((bytes, row) => bytes + Number(row.size), 0) };
}
