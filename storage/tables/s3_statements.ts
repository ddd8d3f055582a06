import type { Dialect } from "./dialect.ts";

/** Records with what is kept of their objects: of those with the content that it was kept for. */
const withFacts = (records: string, order: string) =>
  `SELECT found.path, found.is_dir, found.size, found.hash, found.updated_at, s3_objects.etag
    FROM (${records}) AS found LEFT JOIN s3_objects
      ON s3_objects.record_id = found.id AND s3_objects.hash = found.hash
    ORDER BY ${order}`;

/** All statements of the S3 door, by name. */
export const s3Statements = (dialect: Dialect) => {
  const { comparePath, byPath, isParent, isTopLevel, child, childKey } = dialect;
  const inTree = "SELECT id, path, name, is_dir, size, hash, updated_at FROM records " +
    "WHERE user_id = :user";
  return {
    recordsBetween: withFacts(
      `${inTree} AND ${comparePath("path", ">=", ":from")}
        AND ${comparePath("path", "<", ":before")} ORDER BY ${byPath("path")} LIMIT :limit`,
      "found.path",
    ),
    recordsIn: withFacts(
      `${inTree} AND ${isParent("parent", ":directory")}
        AND ${child} >= ${childKey(":directory", ":from")}
        AND ${child} < ${childKey(":directory", ":before")} ORDER BY ${child} LIMIT :limit`,
      "found.path",
    ),
    recordsInRoot: withFacts(
      `${inTree} AND ${isTopLevel("parent")} AND ${child} >= :from AND ${child} < :before
        ORDER BY ${child} LIMIT :limit`,
      "found.path",
    ),
    facts: `SELECT etag, metadata FROM s3_objects WHERE record_id = :record AND hash = :hash`,
    keepFacts: `INSERT INTO s3_objects (record_id, hash, etag, metadata)
      VALUES (:record, :hash, :etag, :metadata)
      ON CONFLICT (record_id) DO UPDATE
        SET hash = excluded.hash, etag = excluded.etag, metadata = excluded.metadata`,
  } as const;
};

export type S3Statement = keyof ReturnType<typeof s3Statements>;
