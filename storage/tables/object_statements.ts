import type { Dialect } from "./dialect.ts";
import { partStatements } from "./part_statements.ts";
import { isReferenced } from "./references.ts";

/** All statements about objects of a content store (C 23), by name. */
export const objectStatements = (dialect: Dialect) => ({
  ...partStatements(dialect),
  arrive: "INSERT INTO objects (key, state) VALUES (:key, 'arriving')",
  /** Nothing more is expected of objects, unless they are content now. */
  giveUp: `UPDATE objects SET state = 'leaving', due_at = :now
    WHERE key IN ${dialect.texts(":keys")} AND state = 'arriving' AND waiting IS NULL`,
  endLeases: "SELECT end_leases()",
  expire: `UPDATE objects SET state = 'leaving', waiting = NULL, due_at = :now WHERE key IN (
      SELECT key FROM objects WHERE state = 'arriving' AND ${dialect.isLeft("objects")}
        AND NOT EXISTS (SELECT 1 FROM lfs_objects WHERE lfs_objects.id = waiting) ${dialect.skipLocked}
    ) RETURNING key`,
  expireParked: `DELETE FROM parked_contents WHERE ${dialect.isLeft("parked_contents")}
    AND NOT EXISTS (SELECT 1 FROM lfs_objects WHERE lfs_objects.id = parked_contents.id)
    RETURNING id`,
  wait: "UPDATE objects SET waiting = :id WHERE key = :key AND state = 'arriving' RETURNING key",
  keep: "INSERT INTO parked_contents (id, bytes) VALUES (:id, :bytes)",
  waiting: `SELECT key, NULL AS bytes FROM objects WHERE waiting = :id AND state = 'arriving'
    UNION ALL SELECT NULL, bytes FROM parked_contents WHERE id = :id`,
  endWait: `UPDATE objects SET state = 'leaving', waiting = NULL, due_at = :now
    WHERE waiting = :id RETURNING key`,
  endParking: "DELETE FROM parked_contents WHERE id = :id RETURNING id",
  isDue: `SELECT 1 AS due FROM objects
    WHERE state = 'leaving' AND due_at <= :now AND ${dialect.mayDelete} LIMIT 1`,
  takeDue: `UPDATE objects SET due_at = :later WHERE key IN (
      SELECT key FROM objects WHERE state = 'leaving' AND due_at <= :now AND ${dialect.mayDelete}
      ORDER BY due_at LIMIT :limit ${dialect.skipLocked}
    ) RETURNING key, deletions, ${dialect.isWhole} AS is_whole`,
  /** Another server may have noted the same deletion before. */
  deletedOnce: `UPDATE objects SET deletions = 1, due_at = :due
    WHERE key IN ${dialect.texts(":keys")} AND state = 'leaving' AND deletions = 0 RETURNING key`,
  deletedAgain: `DELETE FROM objects
    WHERE key IN ${dialect.texts(":keys")} AND state = 'leaving' AND deletions > 0 RETURNING key`,
  place: "SELECT size, crc32, bytes, object FROM contents WHERE hash = :hash",
  /** Contents whose hash has a prefix. */
  places: `SELECT hash FROM contents
    WHERE hash >= :prefix AND hash < :prefix || 'g' AND (bytes IS NOT NULL OR object IS NOT NULL)`,
  /** Contents in objects whose names have a prefix. */
  contentsIn: `SELECT hash, object, size FROM contents
    WHERE object >= :prefix AND object < :prefix || 'g'`,
  inFiles: `SELECT contents.hash AS hash FROM contents
    WHERE bytes IS NULL AND object IS NULL
      AND ${isReferenced(dialect, "contents.hash")} LIMIT 1`,
  inObjects: `SELECT 1 AS found FROM contents WHERE object IS NOT NULL
    UNION ALL SELECT 1 FROM objects UNION ALL SELECT 1 FROM quarantine
    UNION ALL SELECT 1 FROM upload_parts LIMIT 1`,
  strongroomId: "SELECT strongroom_id FROM storage_state",
  quarantined: "SELECT hash FROM quarantine WHERE hash > :after ORDER BY hash LIMIT :limit",
  giveBack: `INSERT INTO contents (hash, size, crc32, sha256, created_at, bytes, object)
    SELECT hash, size, crc32, sha256, created_at, bytes, object FROM quarantine
    WHERE hash IN ${dialect.texts(":hashes")} ON CONFLICT DO NOTHING RETURNING hash, size`,
  dropGivenBack: `DELETE FROM quarantine WHERE hash IN ${dialect.texts(":hashes")} RETURNING hash`,
  /** Of several servers, one gets each row. */
  dropExpired: "DELETE FROM quarantine WHERE taken_at < :before RETURNING size, object",
  leave: `INSERT INTO objects (key, state, due_at)
    SELECT value, 'leaving', :now FROM ${dialect.texts(":keys")} AS gone RETURNING key`,
});

export type ObjectStatement = keyof ReturnType<typeof objectStatements>;
