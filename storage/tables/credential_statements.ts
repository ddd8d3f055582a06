import type { MintedCredential, RegisteredCredential } from "../../core/credential_store.ts";
import {
  type Dialect,
  numberOrNull,
  type RunStatement,
  type SqlParameters,
  type SqlRow,
  type SqlValue,
  textOrNull,
  withoutNul,
} from "./dialect.ts";
import { CLOCK_STATEMENTS, settledTime } from "./clock.ts";

/** How long a credential is listed after it has expired, in milliseconds. */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Stands for a user whose work runs one after the other: no credential is minted while its parent is revoked. */
export const REGISTER = -2;

const COLUMNS =
  `jti, user_id, privileges, trees, quota, label, parent, minted_at, expires_at, revoked_at, key_id,
    used_at, bound, access_key_id, CASE WHEN token_sha256 IS NULL THEN 0 ELSE 1 END AS is_short`;

/** The part of a list below one of its credentials. */
const page = (scope: string) =>
  `SELECT ${COLUMNS} FROM credentials
    WHERE ${scope} AND (CAST(:before AS TEXT) IS NULL OR (known_at, jti) < (
      SELECT known_at, jti FROM credentials WHERE jti = :before
    ))
    ORDER BY known_at DESC, jti DESC LIMIT :limit`;

/** All statements about credentials, by name. */
export const credentialStatements = (dialect: Dialect) => ({
  ...CLOCK_STATEMENTS,
  /** A revoked one must stay as long as it could be used. */
  forgetCredentials: "DELETE FROM credentials WHERE expires_at < :before",
  addMinted: `INSERT INTO credentials (jti, user_id, privileges, trees, quota, label, minted_at,
      expires_at, token_sha256, key_id, bound, access_key_id, renewed_ms)
    VALUES (:jti, :user, :privileges, :trees, :quota, :label, :now, :expiry, :token, :key, :bound,
      :accessKey, :renewed)`,
  /** Forgets the oldest of those that a user minted and that have expired, beyond as many as may be valid. */
  forgetDerived: `DELETE FROM credentials WHERE jti IN (
      SELECT jti FROM credentials
      WHERE user_id = :user AND parent IS NOT NULL AND expires_at < :before
        AND NOT EXISTS (SELECT 1 FROM links WHERE links.jti = credentials.jti)
      ORDER BY known_at DESC LIMIT 9223372036854775807 OFFSET :max
    )`,
  /** Revoked ones count too: minting and revoking in turn must not fill the table. */
  addDerived: `INSERT INTO credentials
      (jti, user_id, privileges, trees, quota, label, parent, rooted_at, minted_at, expires_at,
        token_sha256, key_id, bound, access_key_id, renewed_ms)
    SELECT CAST(:jti AS TEXT), :user, :privileges, :trees, :quota, :label, :parent, :rooted, :now, :expiry,
      :token, :key, CAST(:bound AS INTEGER), CAST(:accessKey AS TEXT), CAST(:renewed AS BIGINT)
    WHERE NOT EXISTS (SELECT 1 FROM credentials WHERE jti = :parent AND revoked_at IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM user_revocations WHERE user_id = :user AND issued_before > :rooted
      )
      AND NOT EXISTS (SELECT 1 FROM people WHERE number = :user AND disabled_at IS NOT NULL)
      AND (
        SELECT count(*) FROM credentials
        WHERE user_id = :user AND parent IS NOT NULL AND expires_at > :now
      ) < :max
      AND (
        SELECT count(*) FROM credentials WHERE user_id = :user AND parent IS NOT NULL
      ) < :maxKept
    RETURNING jti`,
  /** When the first credential was issued of those that led to this one. */
  rootOf: "SELECT coalesce(rooted_at, minted_at) AS rooted_at FROM credentials WHERE jti = :jti",
  isRevoked: `SELECT 1 AS revoked
    WHERE EXISTS (SELECT 1 FROM credentials WHERE jti = :jti AND revoked_at IS NOT NULL)
      OR EXISTS (
        SELECT 1 FROM user_revocations WHERE user_id = :user AND issued_before > :issued
      )
      OR EXISTS (SELECT 1 FROM people WHERE number = :user AND disabled_at IS NOT NULL)`,
  addUserRevocation: `INSERT INTO user_revocations (user_id, issued_before) VALUES (:user, :before)
    ON CONFLICT (user_id) DO UPDATE SET issued_before = CASE
      WHEN excluded.issued_before > user_revocations.issued_before THEN excluded.issued_before
      ELSE user_revocations.issued_before END
    RETURNING issued_before`,
  /** What descends from a credential of before the time may be younger. */
  revokeOfUser: `WITH RECURSIVE revoked (jti) AS (
      SELECT jti FROM credentials
      WHERE user_id = :user AND coalesce(rooted_at, minted_at) < :before
      UNION SELECT credentials.jti FROM credentials JOIN revoked ON parent = revoked.jti
    )
    UPDATE credentials SET revoked_at = :now
    WHERE revoked_at IS NULL AND jti IN (SELECT jti FROM revoked)`,
  findCredential: `SELECT ${COLUMNS} FROM credentials WHERE jti = :jti`,
  findShort: `SELECT ${COLUMNS} FROM credentials WHERE token_sha256 = ${dialect.bytes(":sha256")}`,
  noteUses: `UPDATE credentials SET used_at = noted.at,
      expires_at = CASE WHEN renewed_ms IS NULL THEN expires_at ELSE noted.at + renewed_ms END
    FROM ${dialect.rows(":uses", { jti: "text", at: "bigint" })} AS noted
    WHERE credentials.jti = noted.jti AND coalesce(used_at, 0) < noted.at`,
  allCredentials: `SELECT ${COLUMNS} FROM credentials ORDER BY minted_at DESC, jti`,
  listCredentials: page("TRUE"),
  listCredentialsOf: page("user_id = :user"),
  /** Revokes a credential, also one of another issuer, and all that descend from it. */
  revokeCredential: `WITH RECURSIVE revoked (jti) AS (
      SELECT ${dialect.bytewise("CAST(:jti AS TEXT)")}
      UNION SELECT credentials.jti FROM credentials JOIN revoked ON parent = revoked.jti
    )
    INSERT INTO credentials (jti, privileges, revoked_at) SELECT jti, '', :now FROM revoked WHERE TRUE
    ON CONFLICT (jti) DO UPDATE SET revoked_at = excluded.revoked_at
      WHERE credentials.revoked_at IS NULL
    RETURNING jti`,
});

export type CredentialStatement = keyof ReturnType<typeof credentialStatements>;

/** Adds a credential that an operator has minted, and forgets those that expired long ago. */
export async function addMinted(
  run: RunStatement<CredentialStatement>,
  credential: MintedCredential,
): Promise<void> {
  const before = await settledTime({ run }, credential.mintedAt) - KEPT_MS;
  await run("forgetCredentials", { before });
  await run("addMinted", parametersOf(credential));
}

/** The parameters that all statements which add a credential have. */
export function parametersOf(
  { jti, userId, privileges, trees, quota, label, mintedAt, expiresAt, isBound, renewedMs, short }:
    MintedCredential,
): SqlParameters {
  return {
    jti,
    user: userId,
    privileges: privileges.join(),
    trees: JSON.stringify(trees),
    quota: quota ?? null,
    label: label === undefined ? null : withoutNul(label),
    now: mintedAt,
    expiry: expiresAt,
    token: short === undefined ? null : Uint8Array.fromHex(short.tokenSha256),
    key: short?.keyId ?? null,
    bound: isBound === true ? 1 : 0,
    accessKey: short?.accessKeyId ?? null,
    renewed: renewedMs ?? null,
  };
}

/**
 * Revokes all credentials of a user that were issued before a time. None of them mints another one once the
 * first statement is committed. Returns the latest such time of the user.
 */
export async function revokeUser(
  run: RunStatement<"addUserRevocation" | "revokeOfUser">,
  { user, before, now }: { readonly user: number; readonly before: number; readonly now: number },
): Promise<number> {
  const [row] = await run("addUserRevocation", { user, before });
  await run("revokeOfUser", { user, before, now });
  return Number(row?.issued_before);
}

/** A credential of a row. */
export function toCredential(row: SqlRow): RegisteredCredential {
  return {
    jti: String(row.jti),
    userId: numberOf(row.user_id),
    privileges: String(row.privileges).split(",").filter((name) => name !== ""),
    trees: JSON.parse(String(row.trees)),
    quota: numberOf(row.quota),
    label: textOf(row.label),
    parent: textOf(row.parent),
    mintedAt: numberOf(row.minted_at),
    expiresAt: numberOf(row.expires_at),
    revokedAt: numberOf(row.revoked_at),
    ...(Number(row.bound) === 1 && { isBound: true }),
    ...(row.is_short === 1 && {
      short: {
        keyId: textOf(row.key_id),
        usedAt: numberOf(row.used_at),
        accessKeyId: textOf(row.access_key_id),
      },
    }),
  };
}

function numberOf(value: SqlValue | undefined): number | undefined {
  return numberOrNull(value) ?? undefined;
}

function textOf(value: SqlValue | undefined): string | undefined {
  return textOrNull(value) ?? undefined;
}
