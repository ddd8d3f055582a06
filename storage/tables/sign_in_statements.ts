const PASSKEY = "id, person, public_key, counter, transports, label, created_at, used_at";
const DEVICE = "user_code, machine, address, created_at, expires_at, decided_at, person";
const INVITATION = "token_sha256, person, created_at, expires_at";

/** All statements about passkeys, invitations and machines that wait, by name. They are the same for all engines. */
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
  forgetDevices: "DELETE FROM device_logins WHERE expires_at <= :now",
  addDevice: `INSERT INTO device_logins (device_sha256, ${DEVICE})
    SELECT :device, CAST(:code AS TEXT), :machine, :address, :now, :expiry, NULL, NULL
    WHERE (SELECT count(*) FROM device_logins) < :max
    ON CONFLICT DO NOTHING
    RETURNING user_code`,
  findDevice: `SELECT ${DEVICE} FROM device_logins
    WHERE user_code = :code AND expires_at > :now AND decided_at IS NULL`,
  decideDevice: `UPDATE device_logins SET decided_at = :now, person = :person
    WHERE user_code = :code AND expires_at > :now AND decided_at IS NULL
    RETURNING user_code`,
  takeDevice: `DELETE FROM device_logins
    WHERE device_sha256 = :device AND expires_at > :now AND decided_at IS NOT NULL
    RETURNING ${DEVICE}`,
  findByDevice: `SELECT ${DEVICE} FROM device_logins
    WHERE device_sha256 = :device AND expires_at > :now`,
} as const;

export type SignInStatement = keyof typeof SIGN_IN_STATEMENTS;
