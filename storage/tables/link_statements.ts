import { CLOCK_STATEMENTS } from "./clock.ts";

const LINK_COLUMNS =
  `id, user_id, record_id, path, created_by, jti, issued_at, key_id, created_at, expires_at, once, used_at`;

const IN_SCOPE = `(CAST(:user AS BIGINT) IS NULL OR user_id = :user)
  AND (CAST(:maker AS BIGINT) IS NULL OR created_by = :maker)`;

/** All statements about links, by name. They are the same for all engines. */
export const LINK_STATEMENTS = {
  ...CLOCK_STATEMENTS,
  forgetExpired: "DELETE FROM links WHERE expires_at <= :now",
  add: `INSERT INTO links
      (token_sha256, user_id, record_id, path, created_by, jti, issued_at, key_id, created_at,
        expires_at, once)
    SELECT :token, :user, :record, :path, :maker, :jti, :issued, :key, :now, :expiry, :once
    WHERE (SELECT count(*) FROM links WHERE created_by = :maker AND expires_at > :now) < :max
      AND (SELECT count(*) FROM links WHERE created_by = :maker) < :maxKept
    RETURNING ${LINK_COLUMNS}`,
  find: `SELECT ${LINK_COLUMNS} FROM links
    WHERE token_sha256 = :token AND expires_at > :now AND used_at IS NULL`,
  list: `SELECT ${LINK_COLUMNS} FROM links
    WHERE ${IN_SCOPE} AND expires_at > :now AND id < :before ORDER BY id DESC LIMIT :limit`,
  use: `UPDATE links SET used_at = :now
    WHERE id = :id AND once = 1 AND used_at IS NULL AND expires_at > :now RETURNING id`,
  remove: `DELETE FROM links WHERE id = :id AND ${IN_SCOPE} RETURNING ${LINK_COLUMNS}`,
} as const;

export type LinkStatement = keyof typeof LINK_STATEMENTS;
