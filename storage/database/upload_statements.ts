import type { Connection, SqlParameters, SqlRow } from "./connection.ts";
import { LFS_STATEMENTS } from "./lfs_statements.ts";
import { OBJECT_STATEMENTS } from "./objects.ts";

const UPLOAD_COLUMNS =
  `id, user_id, created_by, path, size, received, sha256, on_conflict, metadata,
  created_at, expires_at, completed_at`;

/** All statements about resumable uploads, content that waits for a commit, and objects, by name. */
export const UPLOAD_STATEMENTS = {
  ...LFS_STATEMENTS,
  ...OBJECT_STATEMENTS,
  unfinished: `SELECT count(*) AS count FROM uploads
    WHERE user_id = :user AND completed_at IS NULL`,
  add:
    `INSERT INTO uploads (${UPLOAD_COLUMNS}) VALUES (:id, :user, :maker, :path, :size, 0, :sha256,
    :onConflict, :metadata, :now, :expiry, NULL)`,
  find: `SELECT ${UPLOAD_COLUMNS} FROM uploads
    WHERE id = :id AND user_id = :user AND expires_at > :now`,
  advance: "UPDATE uploads SET received = :received, expires_at = :expiry WHERE id = :id",
  complete: "UPDATE uploads SET completed_at = :now WHERE id = :id",
  remove: "DELETE FROM uploads WHERE id = :id",
  expired: "SELECT id FROM uploads WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit",
  allUnfinished: `SELECT id FROM uploads WHERE id > :after AND completed_at IS NULL
    ORDER BY id LIMIT :limit`,
  withParts: `SELECT id FROM uploads
    WHERE id IN (SELECT value FROM json_each(:ids)) AND completed_at IS NULL`,
} as const;

export type UploadStatement = keyof typeof UPLOAD_STATEMENTS;

/** Runs a statement and returns its rows. */
export function uploadRows(
  connection: Connection,
  statement: UploadStatement,
  parameters: SqlParameters,
): SqlRow[] {
  return connection.all(UPLOAD_STATEMENTS[statement], parameters);
}
