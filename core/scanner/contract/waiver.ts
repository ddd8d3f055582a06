/** Accepts findings for a reason: those of a rule in some files, or all those of one content. */
export interface Waiver {
  /** A rule code, or the type of an issue that has none. @default all; needs `sha256` */
  readonly rule?: string;
  /** A pattern for paths. */
  readonly path?: string;
  /** The SHA-256 of the content of a file, in lower case. */
  readonly sha256?: string;
  readonly reason: string;
  /** The last day, as in `2027-01-31`, or the moment at which it expires. @default never */
  readonly expires_at?: string;
}
