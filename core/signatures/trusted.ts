/** Who may sign models, and what has been signed (C 29). */

/** Whose signature it is. */
export interface SignedBy {
  /** The name that the operator has given to a key or a root. */
  readonly signer: string;
  /** Whom the certificate names: an address, a URI or a common name. @default a key has no names */
  readonly identity?: string | undefined;
}

/** A statement that somebody trusted has signed. */
export interface SignedStatement {
  readonly by: SignedBy;
  /** A statement of in-toto, as JSON in UTF-8. */
  readonly statement: Uint8Array;
  /** Until when the signature counts, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/** A signature is not one that counts. The message says why, after `invalid: `. */
export class InvalidSignature extends Error {
  override readonly name = "InvalidSignature";
}

/** Whom the operator trusts. */
export interface TrustedSigners {
  readonly names: readonly string[];
  /**
   * Verifies a bundle of Sigstore.
   *
   * @param content The bundle, as JSON in UTF-8.
   * @throws {InvalidSignature}
   */
  verify(content: Uint8Array): SignedStatement;
}

/** The signers of the last reload; undefined if nobody is trusted. */
export type CurrentSigners = () => TrustedSigners | undefined;
