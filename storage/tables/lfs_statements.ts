import type { Dialect } from "./dialect.ts";

const objectColumns = ({ hex }: Dialect) =>
  `id, user_id, created_by, ${hex("sha256")} AS sha256, size, hash, crc32, created_at, expires_at`;

/**
 * The contents that are asked for, with the MD5 by which records have them. A SHA-256 that no content has
 * gets an MD5 that no content has either, and is looked up among the records all the same. Each step does the
 * same work for both, so that the time does not tell whether another tree has the content: hence the next
 * SHA-256 is read where there is none, and all values are computed beforehand, whether they are used or not.
 */
const named = ({ rows, bytes }: Dialect) =>
  `asked AS MATERIALIZED (
    SELECT position, ${
    bytes("sha256")
  } AS sha256, size, substr(sha256, 1, 31) || 'x' AS unknown_hash
    FROM ${rows(":pointers", { sha256: "text", size: "bigint" })} AS pointer
  ), named AS MATERIALIZED (
    SELECT position, size, coalesce((
        SELECT CASE WHEN contents.sha256 = asked.sha256 THEN contents.hash ELSE unknown_hash END
        FROM contents WHERE contents.sha256 >= asked.sha256 ORDER BY contents.sha256 LIMIT 1
      ), unknown_hash) AS hash
    FROM asked
  )`;

/**
 * All statements about content that waits for a commit, by name.
 * See docs/design/hub_commits.md.
 */
export const lfsStatements = (dialect: Dialect) => ({
  object: `SELECT ${objectColumns(dialect)} FROM lfs_objects
    WHERE user_id = :user AND sha256 = ${dialect.bytes(":sha256")}`,
  countObjects: "SELECT count(*) AS count FROM lfs_objects WHERE user_id = :user",
  addObject:
    `INSERT INTO lfs_objects (id, user_id, created_by, sha256, size, hash, crc32, created_at, expires_at)
    VALUES (:id, :user, :maker, ${dialect.bytes(":sha256")}, :size, :hash, :crc32, :now, :expiry)`,
  prolongObject:
    "UPDATE lfs_objects SET expires_at = :expiry WHERE id = :id AND expires_at < :expiry",
  waitingObjects: `SELECT ${objectColumns(dialect)} FROM lfs_objects
    WHERE user_id = :user AND expires_at > :now
      AND sha256 IN (SELECT ${dialect.bytes("value")} FROM ${dialect.texts(":sha256s")} AS named)`,
  removeObjects: `DELETE FROM lfs_objects WHERE id IN ${dialect.texts(":ids")}
    RETURNING id`,
  removeExpiredObjects: `DELETE FROM lfs_objects WHERE id IN (
      SELECT id FROM lfs_objects WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit
    ) RETURNING id`,
  objectsAfter: "SELECT id FROM lfs_objects WHERE id > :after ORDER BY id LIMIT :limit",
  presentObjects: `SELECT id FROM lfs_objects WHERE id IN ${dialect.texts(":ids")}`,
  contentOfTree: `WITH ${
    named(dialect)
  } SELECT position, records.hash AS hash, records.size AS size,
      records.crc32 AS crc32
    FROM named LEFT JOIN records ON records.id = (
      SELECT own.id FROM records AS own
      WHERE own.hash = named.hash AND own.hash <> '' AND own.user_id = :user
        AND own.size = coalesce(named.size, own.size)
      LIMIT 1
    )`,
  fileOfTree: `WITH ${named(dialect)} SELECT position, (
      SELECT path FROM (
        SELECT own.path AS path FROM records AS own
        WHERE own.hash = named.hash AND own.hash <> '' AND own.user_id = :user
          AND own.size = named.size
        LIMIT 100
      ) AS found ORDER BY path > :directory || '/' AND path < :directory || '0' DESC, path LIMIT 1
    ) AS path FROM named`,
  hubKey: "SELECT hub_key FROM storage_state",
  addHubKey: "UPDATE storage_state SET hub_key = coalesce(hub_key, :key) RETURNING hub_key",
});
