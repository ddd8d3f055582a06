/** By what a credential is revoked. */
export interface IssuedCredential {
  readonly userId: number;
  /** Its id. @default none: it is revoked with all of its user's */
  readonly jti?: string | undefined;
  /** When it was issued, in milliseconds since the Unix epoch. @default before any revocation */
  readonly issuedAt?: number | undefined;
}

/** What outlives the request of a credential keeps this of it: a link, a signed address. */
export interface SignedCredential extends IssuedCredential {
  /** The key that it stands or falls with. @default it is one of an issuer's */
  readonly keyId?: string | undefined;
}

/** Whether a credential is revoked. It does not make requests wait if it need not. */
export type IsRevoked = (credential: IssuedCredential) => boolean | Promise<boolean>;

/**
 * Whether a credential is over, and all that was made with it (C 31): it is revoked, or the server no longer
 * has the key that it stands or falls with. That it has expired does not count here.
 */
export type IsOver = (credential: SignedCredential) => boolean | Promise<boolean>;

/**
 * Creates the one condition on which links, signed addresses and streams end.
 * See docs/design/revocation.md.
 *
 * @param known The ids of the keys that the server has.
 */
export function credentialEnd(known: readonly string[], isRevoked: IsRevoked): IsOver {
  return (credential) => {
    const { keyId } = credential;
    return keyId !== undefined && !known.includes(keyId) ? true : isRevoked(credential);
  };
}
