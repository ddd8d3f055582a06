import type { Dialect } from "./dialect.ts";
import { lfsStatements } from "./lfs_statements.ts";

const UPLOAD_COLUMNS =
  `id, user_id, created_by, path, size, received, sha256, on_conflict, metadata,
  created_at, expires_at, completed_at, deferred, concat`;

/** All statements about resumable uploads, and about content that waits for a commit, by name. */
export const uploadStatements = (dialect: Dialect) => ({
  ...lfsStatements(dialect),
  /** What unfinished uploads and waiting content of a tree count, and what its files do. */
  usage: `SELECT (SELECT coalesce(sum(bytes), 0) FROM usage WHERE user_id = :user)
    + (SELECT coalesce(sum(size), 0) FROM uploads WHERE user_id = :user AND completed_at IS NULL)
    + (SELECT coalesce(sum(size), 0) FROM lfs_objects WHERE user_id = :user) AS bytes`,
  unfinished: `SELECT count(*) AS count FROM uploads
    WHERE user_id = :user AND completed_at IS NULL
      AND CASE concat WHEN 's3' THEN 1 ELSE 0 END = CASE :concat WHEN 's3' THEN 1 ELSE 0 END`,
  add:
    `INSERT INTO uploads (${UPLOAD_COLUMNS}) VALUES (:id, :user, :maker, :path, :size, 0, :sha256,
    :onConflict, :metadata, :now, :expiry, NULL, :deferred, :concat)`,
  find: `SELECT ${UPLOAD_COLUMNS} FROM uploads
    WHERE id = :id AND user_id = :user AND expires_at > :now`,
  advance: `UPDATE uploads SET received = :received, expires_at = :expiry,
      size = CASE deferred WHEN 0 THEN size ELSE :received END
    WHERE id = :id AND turn = :turn RETURNING id`,
  fix: `UPDATE uploads SET size = :size, deferred = 0
    WHERE id = :id AND deferred = 1 AND received <= :size RETURNING id`,
  complete: `UPDATE uploads SET completed_at = :now, received = size
    WHERE id IN ${dialect.texts(":ids")} AND completed_at IS NULL RETURNING id`,
  remove: "DELETE FROM uploads WHERE id = :id AND turn = coalesce(:turn, turn) RETURNING id",
  removeAll: `DELETE FROM uploads WHERE id IN ${dialect.texts(":ids")}`,
  expired: "SELECT id FROM uploads WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit",
  allUnfinished: `SELECT id FROM uploads WHERE id > :after AND completed_at IS NULL
    ORDER BY id LIMIT :limit`,
  withParts: `SELECT id FROM uploads
    WHERE id IN ${dialect.texts(":ids")} AND completed_at IS NULL`,
});

export type UploadStatement = keyof ReturnType<typeof uploadStatements>;
