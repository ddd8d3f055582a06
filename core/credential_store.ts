import type { TreePrivileges } from "../schemas/credentials.ts";
import type { IsRevoked } from "./credential_end.ts";

/** What is known of a credential. Times are in milliseconds since the Unix epoch. */
export interface RegisteredCredential {
  /** Its claim `jti`. */
  readonly jti: string;
  /** Undefined if another issuer minted it. */
  readonly userId: number | undefined;
  readonly privileges: readonly string[];
  /** The privileges in the trees of other users. */
  readonly trees: TreePrivileges;
  /** The quota of the user in bytes, as far as the server knows that the credential states one. */
  readonly quota: number | undefined;
  /** What its user calls it. */
  readonly label: string | undefined;
  /** The `jti` of the credential that minted it; undefined if none did. */
  readonly parent: string | undefined;
  readonly mintedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** Undefined unless it is revoked. */
  readonly revokedAt: number | undefined;
  /** Whether it may never do more than the person with its number may then (C 27). @default false */
  readonly isBound?: boolean;
  /** What a short credential has besides (C 31). @default it is a signed token */
  readonly short?: ShortCredential | undefined;
}

/** What is known of a short credential besides. */
export interface ShortCredential {
  /** The key that it stands or falls with, as if that had signed it. */
  readonly keyId: string | undefined;
  /** When it was used last, as far as servers have noted it. */
  readonly usedAt: number | undefined;
  /** The id of the access key that it is (C 30). @default its token is one of the hub */
  readonly accessKeyId?: string | undefined;
}

/** What makes a credential a short one. */
export interface NewShortCredential {
  /** The SHA-256 of its token in hex. Nothing else of the token is kept. */
  readonly tokenSha256: string;
  readonly keyId: string | undefined;
  /** The id of the access key that it is (C 30). @default its token is one of the hub */
  readonly accessKeyId?: string | undefined;
}

/** A credential that another one is about to mint. */
export interface DerivedCredential extends Omit<RegisteredCredential, "revokedAt" | "short"> {
  readonly userId: number;
  readonly parent: string;
  /** When the parent was issued, in case that it is not recorded. */
  readonly parentIssuedAt: number;
  /** How long it lasts after each use, in milliseconds. @default it ends at its time */
  readonly renewedMs?: number | undefined;
  /** @default it is a signed token */
  readonly short?: NewShortCredential | undefined;
  readonly mintedAt: number;
  readonly expiresAt: number;
}

/** A page of a list of credentials. */
export interface CredentialPage {
  /** Whose. @default those of all users and other issuers */
  readonly userId?: number | undefined;
  readonly limit: number;
  /** The `jti` of the last credential of the page before. */
  readonly before?: string | undefined;
}

/** A credential that was just minted. */
export interface MintedCredential {
  readonly jti: string;
  readonly userId: number;
  readonly privileges: readonly string[];
  readonly trees: TreePrivileges;
  readonly mintedAt: number;
  readonly expiresAt: number;
  readonly label?: string | undefined;
  readonly quota?: number | undefined;
  readonly isBound?: boolean;
  /** How long it lasts after each use, in milliseconds. @default it ends at its time */
  readonly renewedMs?: number | undefined;
  /** @default it is a signed token */
  readonly short?: NewShortCredential | undefined;
}

/** The credentials that were minted or revoked (C 22). Other processes may change it at any time. */
export interface CredentialStore {
  /**
   * Adds a credential, unless its parent is revoked, or its user has `max` that credentials minted and that
   * have not expired, or ten times as many that are kept. Returns whether it did.
   */
  add(credential: DerivedCredential, max: number): Promise<boolean>;
  find(jti: string): Promise<RegisteredCredential | undefined>;
  /** A page of credentials, those that became known last first. */
  list(page: CredentialPage): Promise<RegisteredCredential[]>;
  /** Revokes a credential, also one of another issuer, and all that descend from it. Returns it. */
  revoke(jti: string, now: number): Promise<RegisteredCredential>;
  /**
   * Revokes all credentials of a user that were issued before a time, recorded or not, and all that descend
   * from them (C 31). Returns the latest such time of the user.
   */
  revokeUser(userId: number, before: number, now: number): Promise<number>;
  readonly isRevoked: IsRevoked;
  /** The short credential whose token has a SHA-256, in hex. It may be over. */
  findShort(tokenSha256: string): Promise<RegisteredCredential | undefined>;
  /** Notes when credentials were used last, in milliseconds since the Unix epoch, by `jti`. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}
