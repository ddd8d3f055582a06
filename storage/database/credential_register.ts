import type { TreePrivileges } from "../../schemas/credentials.ts";
import type { RegisteredCredential } from "../../core/credential_store.ts";
import { Connection } from "./connection.ts";
import { CREDENTIAL_STATEMENTS, toCredential } from "./credential_statements.ts";
import { schemaVersion } from "./migrate.ts";

/** The first version of the schema whose register has all columns. */
const REGISTER_VERSION = 20;
/** How long a credential is listed after it has expired, in milliseconds. */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

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
    this.#connection.run(CREDENTIAL_STATEMENTS.forgetCredentials, { before: mintedAt - KEPT_MS });
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

  /**
   * Revokes a credential, also one of another issuer, and all that descend from it. Returns false if they were
   * revoked before.
   */
  revoke(jti: string, now: number): boolean {
    return this.#connection.all(CREDENTIAL_STATEMENTS.revokeCredential, { jti, now }).length > 0;
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
