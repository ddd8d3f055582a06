const OBJECT_COLUMNS =
  "id, user_id, created_by, lower(hex(sha256)) AS sha256, size, hash, crc32, created_at, expires_at";
/**
 * The contents that are asked for, with the MD5 by which records have them. A SHA-256 that no content has
 * gets an MD5 that no content has either, and is looked up among the records all the same. Each step does the
 * same work for both, so that the time does not tell whether another tree has the content: hence all values
 * are computed beforehand, whether they are used or not.
 */
const NAMED = `asked AS MATERIALIZED (
    SELECT key AS position, unhex(value ->> 'sha256') AS sha256, value ->> 'size' AS size,
      substr(value ->> 'sha256', 1, 31) || 'x' AS nobodys
    FROM json_each(:pointers)
  ), named AS MATERIALIZED (
    SELECT position, asked.size AS size, ifnull(contents.hash, nobodys) AS hash
    FROM asked LEFT JOIN contents ON contents.sha256 = asked.sha256
  )`;

/** All statements about content that waits for a commit, by name. */
export const LFS_STATEMENTS = {
  object: `SELECT ${OBJECT_COLUMNS} FROM lfs_objects
    WHERE user_id = :user AND sha256 = unhex(:sha256)`,
  countObjects: "SELECT count(*) AS count FROM lfs_objects WHERE user_id = :user",
  addObject:
    `INSERT INTO lfs_objects (id, user_id, created_by, sha256, size, hash, crc32, created_at, expires_at)
    VALUES (:id, :user, :maker, unhex(:sha256), :size, :hash, :crc32, :now, :expiry)`,
  prolongObject: "UPDATE lfs_objects SET expires_at = max(expires_at, :expiry) WHERE id = :id",
  waitingObjects: `SELECT ${OBJECT_COLUMNS} FROM lfs_objects
    WHERE user_id = :user AND expires_at > :now
      AND sha256 IN (SELECT unhex(value) FROM json_each(:sha256s))`,
  removeObjects: `DELETE FROM lfs_objects WHERE id IN (SELECT value FROM json_each(:ids))
    RETURNING id`,
  removeExpiredObjects: `DELETE FROM lfs_objects WHERE id IN (
      SELECT id FROM lfs_objects WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit
    ) RETURNING id`,
  objectsAfter: "SELECT id FROM lfs_objects WHERE id > :after ORDER BY id LIMIT :limit",
  presentObjects: "SELECT id FROM lfs_objects WHERE id IN (SELECT value FROM json_each(:ids))",
  contentOfTree: `WITH ${NAMED} SELECT position, records.hash AS hash, records.size AS size,
      records.crc32 AS crc32
    FROM named LEFT JOIN records ON records.id = (
      SELECT own.id FROM records AS own
      WHERE own.hash = named.hash AND own.hash <> '' AND own.user_id = :user
        AND own.size = ifnull(named.size, own.size)
      LIMIT 1
    )`,
  fileOfTree: `WITH ${NAMED} SELECT position, (
      SELECT path FROM (
        SELECT own.path AS path FROM records AS own
        WHERE own.hash = named.hash AND own.hash <> '' AND own.user_id = :user
          AND own.size = named.size
        LIMIT 100
      ) ORDER BY path > :directory || '/' AND path < :directory || '0' DESC, path LIMIT 1
    ) AS path FROM named`,
  hubKey: "SELECT hub_key FROM storage_state",
  addHubKey: "UPDATE storage_state SET hub_key = ifnull(hub_key, :key) RETURNING hub_key",
} as const;
