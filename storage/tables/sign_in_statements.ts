const PASSKEY = "id, person, public_key, counter, transports, label, created_at, used_at";
const INVITATION = "token_sha256, person, created_at, expires_at";

/** All statements about passkeys and invitations, by name. They are the same for all engines. */
export const SIGN_IN_STATEMENTS = {
  anyPasskey: "SELECT 1 AS found FROM passkeys LIMIT 1",
  findPasskey: `SELECT ${PASSKEY} FROM passkeys WHERE id = :id`,
  listPasskeys: `SELECT ${PASSKEY} FROM passkeys WHERE person = :person
    ORDER BY created_at DESC, id`,
  addPasskey: `INSERT INTO passkeys (${PASSKEY})
    SELECT CAST(:id AS TEXT), :person, :publicKey, :counter, :transports, :label, :now, NULL
    WHERE (SELECT count(*) FROM passkeys WHERE person = :person) < :max
    ON CONFLICT DO NOTHING
    RETURNING id`,
  usePasskey: `UPDATE passkeys SET counter = :counter, used_at = :now
    WHERE id = :id AND coalesce(used_at, 0) < :begun
    RETURNING id`,
  removePasskey: "DELETE FROM passkeys WHERE id = :id AND person = :person RETURNING id",
  forgetInvitations: "DELETE FROM invitations WHERE expires_at <= :now OR person = :person",
  addInvitation: `INSERT INTO invitations (${INVITATION}) VALUES (:token, :person, :now, :expiry)`,
  findInvitation: `SELECT ${INVITATION} FROM invitations
    WHERE token_sha256 = :token AND expires_at > :now`,
  takeInvitation: `DELETE FROM invitations WHERE token_sha256 = :token AND expires_at > :now
    RETURNING person`,
} as const;

export type SignInStatement = keyof typeof SIGN_IN_STATEMENTS;
