import type { TreePrivileges } from "../../schemas/credentials.ts";
import { Connection, type SqlRow } from "./connection.ts";
import { schemaVersion } from "./migrate.ts";

/** The first version of the schema whose register has all columns. */
const REGISTER_VERSION = 15;
/** How long a credential is listed after it has expired, in milliseconds. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

/** What is known of a credential. Times are in milliseconds since the Unix epoch. */
export interface RegisteredCredential {
  /** Its claim `jti`. */
  readonly jti: string;
  /** Undefined if another issuer minted it. */
  readonly userId: number | undefined;
  readonly privileges: readonly string[];
  /** The privileges in the trees of other users. */
  readonly trees: TreePrivileges;
  readonly mintedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Undefined unless it is revoked. */
  readonly revokedAt: number | undefined;
}

/** A credential that was just minted. */
export interface MintedCredential {
  readonly jti: string;
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly trees: TreePrivileges;
  readonly mintedAt: number;
  readonly expiresAt: number;
}

/**
 * The credentials that were minted or revoked (C 22). The command line writes it while a server reads it:
 * each call is one short transaction.
 */
export class CredentialRegister implements Disposable {
  readonly #connection: Connection;

  /** @param path The path of the database, which must have the register. */
  constructor(path: string) {
    this.#connection = new Connection(path, { readOnly: false });
    // Only the server may move its log into the database: it notes when.
    this.#connection.script("PRAGMA wal_autocheckpoint = 0");
  }

  /** Adds a credential, and forgets those that expired long ago. */
  add({ jti, userId, privileges, trees, mintedAt, expiresAt }: MintedCredential): void {
    this.#connection.run("DELETE FROM credentials WHERE expires_at < :before", {
      before: mintedAt - KEPT_MS,
    });
    this.#connection.run(
      `INSERT INTO credentials (jti, user_id, privileges, trees, minted_at, expires_at)
       VALUES (:jti, :userId, :privileges, :trees, :mintedAt, :expiresAt)`,
      {
        jti,
        userId,
        privileges: privileges.join(),
        trees: JSON.stringify(trees),
        mintedAt,
        expiresAt,
      },
    );
  }

  /** Revokes a credential, whoever minted it. Returns false if it was revoked before. */
  revoke(jti: string, now: number): boolean {
    return this.#connection.run(
      `INSERT INTO credentials (jti, privileges, revoked_at) VALUES (:jti, '', :now)
       ON CONFLICT (jti) DO UPDATE SET revoked_at = :now WHERE revoked_at IS NULL`,
      { jti, now },
    ) > 0;
  }

  /** All credentials, those minted last first. */
  *list(): Generator<RegisteredCredential> {
    const rows = this.#connection.all("SELECT * FROM credentials ORDER BY minted_at DESC, jti");
    for (const row of rows) yield toCredential(row);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }
}

/** Whether a credential is revoked. */
export function isRevoked(connection: Connection, jti: string): boolean {
  return connection.get(
    "SELECT 1 FROM credentials WHERE jti = :jti AND revoked_at IS NOT NULL",
    { jti },
  ) !== undefined;
}

/** Whether a database exists and has the register. */
export function hasRegister(path: string): boolean {
  try {
    using connection = new Connection(path, { readOnly: true });
    return schemaVersion(connection) >= REGISTER_VERSION;
  } catch {
    // It does not exist yet, or is being created.
    return false;
  }
}

function toCredential(row: SqlRow): RegisteredCredential {
  const time = (value: SqlRow[string] | undefined) => typeof value === "number" ? value : undefined;
  return {
    jti: String(row.jti),
    userId: typeof row.user_id === "number" ? row.user_id : undefined,
    privileges: String(row.privileges).split(",").filter((name) => name !== ""),
    trees: JSON.parse(String(row.trees)),
    mintedAt: time(row.minted_at),
    expiresAt: time(row.expires_at),
    revokedAt: time(row.revoked_at),
  };
}
