/** All statements about sessions of the console, by name. They are the same for all engines. */
export const SESSION_STATEMENTS = {
  forgetExpired: "DELETE FROM console_sessions WHERE expires_at <= :now",
  add: `INSERT INTO console_sessions (id, user_id, sealed, created_at, expires_at)
    VALUES (:id, :user, :sealed, :now, :expiry)`,
  forgetOldest: `DELETE FROM console_sessions WHERE user_id = :user AND id NOT IN (
    SELECT id FROM console_sessions WHERE user_id = :user ORDER BY created_at DESC, id LIMIT :max)`,
  find: "SELECT sealed FROM console_sessions WHERE id = :id AND expires_at > :now",
  remove: "DELETE FROM console_sessions WHERE id = :id",
} as const;

export type SessionStatement = keyof typeof SESSION_STATEMENTS;
