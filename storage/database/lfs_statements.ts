const OBJECT_COLUMNS =
  "id, user_id, created_by, lower(hex(sha256)) AS sha256, size, hash, crc32, created_at, expires_at";
const ASKED = "json_each(:pointers) AS asked";

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
  // A SHA-256 that no content has is looked up among the records all the same, by an MD5 that no content
  // has either: the time that this takes does not tell whether another tree has the content.
  contentOfTree: `SELECT asked.key AS position, records.hash AS hash, records.size AS size,
      records.crc32 AS crc32
    FROM ${ASKED} LEFT JOIN records ON records.id = (
      SELECT own.id FROM records AS own
      WHERE own.hash = ifnull(
          (SELECT hash FROM contents WHERE sha256 = unhex(asked.value ->> 'sha256')),
          substr(asked.value ->> 'sha256', 1, 31) || 'x'
        ) AND own.hash <> '' AND own.user_id = :user
        AND own.size = ifnull(asked.value ->> 'size', own.size)
      LIMIT 1
    )`,
  // The same work whatever other trees have, too.
  fileOfTree: `SELECT (
      SELECT path FROM (
        SELECT own.path AS path FROM records AS own
        WHERE own.hash = ifnull(
            (SELECT hash FROM contents WHERE sha256 = unhex(asked.value ->> 'sha256')),
            substr(asked.value ->> 'sha256', 1, 31) || 'x'
          ) AND own.hash <> '' AND own.user_id = :user
          AND own.size = asked.value ->> 'size'
        LIMIT 100
      ) ORDER BY path > :directory || '/' AND path < :directory || '0' DESC, path LIMIT 1
    ) AS path FROM ${ASKED}`,
  hubKey: "SELECT hub_key FROM storage_state",
  addHubKey: "UPDATE storage_state SET hub_key = ifnull(hub_key, :key) RETURNING hub_key",
} as const;
