/** A write lock (RFC 4918, 6). It holds against every door until it ends (C 30). */
export interface Lock {
  /** A URI that no other lock has ever had. */
  readonly token: string;
  /** The user in whose tree it is. */
  readonly userId: number;
  /** The path that it was taken for; "" is the root of the tree. */
  readonly path: string;
  /** Whether it is for all that is below the path, too. */
  readonly isDeep: boolean;
  /** Whether others may take a shared lock of the same. */
  readonly isShared: boolean;
  /** The user who has taken it, who alone may use its token. */
  readonly holder: number;
  /** What the client says about its user, as XML. */
  readonly owner: string;
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A property that clients have given to a record, and that means nothing to the server (RFC 4918, 4). */
export interface DeadProperty {
  readonly namespace: string;
  readonly name: string;
  /** The whole element, as XML. */
  readonly xml: string;
}

/** What changes properties: one to set, or the name of one to remove. */
export type PropertyChange = DeadProperty | Omit<DeadProperty, "xml">;

/** A path that was copied with what is below it. */
export interface Copied {
  readonly userId: number;
  readonly path: string;
  /** The path of the copy. */
  readonly target: string;
}

/** The locks and properties in a write transaction. */
export interface DavChanges {
  /** The locks of a tree that have not expired. A tree without locks costs no statement. */
  locksOf(userId: number, now: number): Promise<readonly Lock[]>;
  /** Adds a lock, and forgets those in its tree that have ended. */
  addLock(lock: Lock, now: number): Promise<void>;
  /** Lets a lock end at another time. */
  extendLock(lock: Lock): Promise<void>;
  removeLocks(userId: number, tokens: readonly string[]): Promise<void>;
  /** Changes properties of a record of the user, one after the other. Returns how many characters its own have then. */
  changeProperties(
    record: { readonly id: number; readonly userId: number },
    changes: readonly PropertyChange[],
  ): Promise<number>;
  /** Gives copies the properties of what they were copied from, in place of their own. */
  copyProperties(copies: readonly Copied[]): Promise<void>;
}

/** Reads locks and properties. */
export interface DavStore {
  /** The locks in a tree that have not ended, by path. */
  locksOf(userId: number, now: number): Promise<readonly Lock[]>;
  /** The properties of records, by their ids. */
  propertiesOf(ids: readonly number[]): Promise<ReadonlyMap<number, readonly DeadProperty[]>>;
  /** Forgets the properties of records that are gone. */
  forgetProperties(): Promise<void>;
}
