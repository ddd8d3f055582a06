import type { Dialect } from "./dialect.ts";
import { KEPT_TABLES } from "./references.ts";

const LOCK_COLUMNS = "token, user_id, path, is_deep, is_shared, holder, owner, expires_at";

/** All statements about the locks and properties of WebDAV, by name. */
export function davStatements({ texts, comparePath, recordTables }: Dialect) {
  const isWithin = (column: string, root: string) =>
    `(${comparePath(column, "=", root)} OR ${comparePath(column, ">", `${root} || '/'`)}
      AND ${comparePath(column, "<", `${root} || '0'`)})`;
  return {
    locksOf: `SELECT ${LOCK_COLUMNS} FROM locks
      WHERE user_id = :user AND expires_at > :now ORDER BY path, token`,
    forgetEnded: "DELETE FROM locks WHERE user_id = :user AND expires_at <= :now",
    addLock: `INSERT INTO locks (${LOCK_COLUMNS})
      VALUES (:token, :user, :path, :deep, :shared, :holder, :owner, :expiry)`,
    extendLock: "UPDATE locks SET expires_at = :expiry WHERE token = :token AND user_id = :user",
    removeLocks: `DELETE FROM locks
      WHERE user_id = :user AND token IN (SELECT value FROM ${texts(":tokens")} AS given)`,
    lockedTrees: "SELECT user_id, max(expires_at) AS expiry FROM locks GROUP BY user_id",
    firstProperty: "SELECT name FROM properties LIMIT 1",
    propertiesOf: `SELECT record_id, namespace, name, xml FROM properties
      WHERE record_id IN (SELECT CAST(value AS BIGINT) FROM ${texts(":ids")} AS given)
      ORDER BY record_id, namespace, name`,
    setProperty: `INSERT INTO properties (record_id, namespace, name, xml)
      VALUES (:record, :namespace, :name, :xml)
      ON CONFLICT (record_id, namespace, name) DO UPDATE SET xml = excluded.xml`,
    removeProperty: `DELETE FROM properties
      WHERE record_id = :record AND namespace = :namespace AND name = :name`,
    sizeOf: `SELECT coalesce(sum(length(xml)), 0) AS size FROM properties
      WHERE record_id = :record`,
    forgetReplaced: `DELETE FROM properties WHERE record_id IN (
      SELECT copy.id FROM properties AS own
        JOIN records AS copy ON copy.id = own.record_id
        JOIN records AS original ON original.user_id = copy.user_id
          AND ${comparePath("original.path", "=", ":source || substr(copy.path, :afterTarget)")}
      WHERE EXISTS (SELECT 1 FROM properties) AND copy.user_id = :user
        AND ${isWithin("copy.path", ":target")})`,
    copyProperties: `INSERT INTO properties (record_id, namespace, name, xml)
      SELECT copy.id, own.namespace, own.name, own.xml FROM properties AS own
        JOIN records AS original ON original.id = own.record_id
        JOIN records AS copy ON copy.user_id = original.user_id
          AND ${comparePath("copy.path", "=", ":target || substr(original.path, :afterSource)")}
      WHERE EXISTS (SELECT 1 FROM properties) AND original.user_id = :user
        AND ${isWithin("original.path", ":source")}`,
    lastOfPage: `SELECT max(record_id) AS last FROM (
      SELECT record_id FROM properties WHERE record_id > :after ORDER BY record_id LIMIT 1000) AS page`,
    forgetGone: `DELETE FROM properties WHERE record_id > :after AND record_id <= :last AND ${
      // Properties are of the present: history has none.
      recordTables.filter((table) => !KEPT_TABLES.includes(table)).map((table) =>
        `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.id = properties.record_id)`
      ).join(" AND ")}`,
  } as const;
}

export type DavStatement = keyof ReturnType<typeof davStatements>;
