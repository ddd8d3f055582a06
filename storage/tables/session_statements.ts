import type { Dialect } from "./dialect.ts";

const LISTED = `id, user_id, means, key_id, provider_session, browser, address, created_at, used_at,
  expires_at`;

/** All statements about sessions of the console, by name. */
export const sessionStatements = (dialect: Pick<Dialect, "bytes" | "rows">) => ({
  forgetExpired: "DELETE FROM console_sessions WHERE expires_at <= :now",
  add: `INSERT INTO console_sessions (${LISTED}, sealed)
    VALUES (:id, :user, :means, :key, :providerSession, :browser, :address, :now, :used, :expiry,
      :sealed)`,
  forgetOldest: `DELETE FROM console_sessions WHERE user_id = :user AND id NOT IN (
    SELECT id FROM console_sessions WHERE user_id = :user ORDER BY created_at DESC, id LIMIT :max)`,
  find: `SELECT ${LISTED}, sealed FROM console_sessions WHERE id = :id AND expires_at > :now`,
  list: `SELECT ${LISTED} FROM console_sessions WHERE user_id = :user AND expires_at > :now
    ORDER BY created_at DESC, id`,
  remove: "DELETE FROM console_sessions WHERE id = :id",
  removeOfProvider: `DELETE FROM console_sessions
    WHERE means = 'provider' AND (CAST(:user AS BIGINT) IS NULL OR user_id = :user)
      AND (CAST(:providerSession AS TEXT) IS NULL OR provider_session = :providerSession
        OR CAST(:user AS BIGINT) IS NOT NULL AND provider_session IS NULL)
    RETURNING user_id`,
  noteUses: `UPDATE console_sessions SET used_at = noted.at
    FROM ${dialect.rows(":uses", { id: "text", at: "bigint" })} AS noted
    WHERE console_sessions.id = ${dialect.bytes("noted.id")} AND used_at < noted.at`,
});

export type SessionStatement = keyof ReturnType<typeof sessionStatements>;
