/** A URL that serves one file or directory without a credential (C 19). Times are milliseconds since the Unix epoch. */
export interface Link {
  readonly id: number;
  /** Whose tree it is in. */
  readonly userId: number;
  /** The record that it serves, while that is at `path`. */
  readonly recordId: number;
  readonly path: string;
  /** Who made it. */
  readonly createdBy: number;
  /** The id of the credential that made it, or null. The link ends with that credential (C 31). */
  readonly jti: string | null;
  /** When that was issued; 0 for a link from before this was kept. */
  readonly issuedAt: number;
  /** The key that it stands or falls with, or null. */
  readonly keyId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether it serves one download only. */
  readonly once: boolean;
  /** When that download began, or null. */
  readonly usedAt: number | null;
}

/** A link that the store has not assigned an id. */
export interface NewLink extends Omit<Link, "id" | "usedAt"> {
  /** The SHA-256 of its token in hex. Nothing else of the token is kept. */
  readonly tokenSha256: string;
}

/** Which links a caller sees. */
export interface LinkScope {
  /** Those in the tree of this user. @default all */
  readonly userId?: number | undefined;
  /** Those that this user made. @default all */
  readonly createdBy?: number | undefined;
}

/** A page of a list of links. */
export interface LinkPage {
  readonly limit: number;
  /** Only links with a lower id. */
  readonly before?: number | undefined;
}

/** The links of all users. */
export interface LinkStore {
  /**
   * Adds a link, unless its maker has `max` that have not expired, or ten times as many that are
   * kept. Forgets all that have expired by the settled time.
   */
  add(link: NewLink, max: number): Promise<Link | undefined>;
  /** The link with this token, unless it has expired or served its only download. */
  find(tokenSha256: string, now: number): Promise<Link | undefined>;
  /** The links that have not expired, newest first. */
  list(scope: LinkScope, page: LinkPage, now: number): Promise<Link[]>;
  /** Notes that the only download of a link begins. Returns false if it may not, as another one has. */
  use(id: number, now: number): Promise<boolean>;
  /** Removes a link within the scope, and returns it. */
  remove(scope: LinkScope, id: number): Promise<Link | undefined>;
}
