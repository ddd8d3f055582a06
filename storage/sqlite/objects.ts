import type { ContentAmount } from "../../core/content_changes.ts";
import type { SqlRow } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";

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
function amountOf(rows: readonly SqlRow[]): ContentAmount {
  return { count: rows.length, bytes: rows.reduce((bytes, row) => bytes + Number(row.size), 0) };
}
