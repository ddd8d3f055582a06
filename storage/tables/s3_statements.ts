import type { Dialect } from "./dialect.ts";

/** The columns of `s3_objects` that lists have. */
export const listedColumns = ({ json }: Pick<Dialect, "json">) =>
  `s3_objects.etag, ${json("s3_objects.metadata")} ->> 'checksum' AS checksum`;

/** Records with what is kept of their objects: of those with the content that it was kept for. */
const withFacts = (columns: string) => (records: string, order: string) =>
  `SELECT found.path, found.is_dir, found.size, found.hash, found.updated_at, ${columns}
    FROM (${records}) AS found LEFT JOIN s3_objects
      ON s3_objects.record_id = found.id AND s3_objects.hash = found.hash
    ORDER BY ${order}`;

/** All statements of the S3 door, by name. */
export const s3Statements = (dialect: Dialect) => {
  const { comparePath, byPath, isParent, isTopLevel, child, childKey } = dialect;
  const listed = withFacts(listedColumns(dialect));
  const inTree = "SELECT id, path, name, is_dir, size, hash, updated_at FROM records " +
    "WHERE user_id = :user";
  return {
    recordsBetween: listed(
      `${inTree} AND ${comparePath("path", ">=", ":from")}
        AND ${comparePath("path", "<", ":before")} ORDER BY ${byPath("path")} LIMIT :limit`,
      "found.path",
    ),
    recordsIn: listed(
      `${inTree} AND ${isParent("parent", ":directory")}
        AND ${child} >= ${childKey(":directory", ":from")}
        AND ${child} < ${childKey(":directory", ":before")} ORDER BY ${child} LIMIT :limit`,
      "found.path",
    ),
    recordsInRoot: listed(
      `${inTree} AND ${isTopLevel("parent")} AND ${child} >= :from AND ${child} < :before
        ORDER BY ${child} LIMIT :limit`,
      "found.path",
    ),
    facts: `SELECT etag, metadata FROM s3_objects WHERE record_id = :record AND hash = :hash`,
    keepFacts: `INSERT INTO s3_objects (record_id, hash, etag, metadata)
      VALUES (:record, :hash, :etag, :metadata)
      ON CONFLICT (record_id) DO UPDATE
        SET hash = excluded.hash, etag = excluded.etag, metadata = excluded.metadata`,
    keepFactsAt: `INSERT INTO s3_objects (record_id, hash, etag, metadata)
      SELECT id, hash, :etag, :metadata FROM records
      WHERE user_id = :user AND ${comparePath("path", "=", ":path")}
      ON CONFLICT (record_id) DO UPDATE
        SET hash = excluded.hash, etag = excluded.etag, metadata = excluded.metadata`,
    addUpload: `INSERT INTO s3_uploads
        (id, user_id, path, metadata, checksum, created_at, expires_at)
      SELECT :id, :user, :path, :metadata, :checksum, :now, :expiry
      WHERE (SELECT count(*) FROM s3_uploads WHERE user_id = :user) < :max RETURNING id`,
    findUpload: `SELECT * FROM s3_uploads
      WHERE id = :id AND user_id = :user AND expires_at > :now`,
    uploads: `SELECT * FROM s3_uploads
      WHERE user_id = :user AND expires_at > :now AND path >= :prefix AND path < :before
        AND (path > :path OR path = :path AND id > :id) ORDER BY path, id LIMIT :limit`,
    extendUpload: "UPDATE s3_uploads SET expires_at = :expiry WHERE id = :id RETURNING id",
    part: "SELECT part FROM s3_parts WHERE upload = :upload AND number = :number",
    keepPart:
      `INSERT INTO s3_parts (upload, number, part, position, size, md5, checksum, created_at)
      VALUES (:upload, :number, :part, :position, :size, :md5, :checksum, :now)
      ON CONFLICT (upload, number) DO UPDATE SET part = excluded.part,
        position = excluded.position, size = excluded.size, md5 = excluded.md5,
        checksum = excluded.checksum, created_at = excluded.created_at`,
    /** Those whose content is still there: a check, or a start, ends what has lost its own. */
    parts: `SELECT number, part, position, size, md5, checksum, created_at FROM s3_parts
      WHERE upload = :upload AND number > :after
        AND EXISTS (SELECT 1 FROM uploads WHERE uploads.id = s3_parts.part)
      ORDER BY number LIMIT :limit`,
    removeUpload: "DELETE FROM s3_uploads WHERE id = :id",
    removeExpiredUploads: "DELETE FROM s3_uploads WHERE expires_at <= :now",
    forgetFacts: `DELETE FROM s3_objects WHERE record_id IN (
      SELECT record_id FROM s3_objects
      WHERE NOT EXISTS (SELECT 1 FROM records WHERE records.id = s3_objects.record_id)
      LIMIT :limit) RETURNING record_id`,
  } as const;
};

export type S3Statement = keyof ReturnType<typeof s3Statements>;
