import type { Size } from "./state.ts";

/** What protects content; docs/design/content_of_several_servers.md says why. */
export const GUARDS = {
  announced: "The row of an object is committed before its first byte is sent",
  newNames: "Each upload writes to an object with a new name",
  arrivingChecked: "A publication takes the row of the object, and fails if it is not arriving",
  leaseBeforeSending: "A server sends no request for an object once its lease has run out",
  leasesExpire: "Objects of servers without a lease are made leaving",
  waitingExempt: "Objects with waiting content stay when a lease runs out",
  leavingBeforeDeletion: "An object is deleted only after its row is leaving",
  failureRecorded:
    "A server repeats the transaction that makes the object of a failed upload leaving",
  secondDeletion: "An object is deleted once more when no request for it can arrive any more",
  multipartAborted: "A deletion aborts multipart uploads",
  createNotRetried: "No multipart upload is begun twice for one object",
  replacementCompared: "A replacement locks the row of the content before it reads the object",
  contentLocked: "A publication locks the row of content that it shares",
  checkedUnderLock: "A collection looks for records after it has locked the row of the content",
  foreignKey: "The database refuses records without a row of their content",
  droppedQueue: "The transaction that deletes a record says so in the table `dropped`",
  droppedByRow: "A collection removes those rows of `dropped` that it took, and no later ones",
  readersLookAgain: "A reader that does not find an object looks the record up again",
} as const;

export type Guard = keyof typeof GUARDS;

export interface Rules extends Size {
  /** The guards that are left out. */
  readonly without: ReadonlySet<Guard>;
  /** More records of one content count as this many. */
  readonly records: number;
  /** What else may happen than uploads, deletions, crashes and broken connections. */
  readonly multipart: boolean;
  readonly waiting: boolean;
  readonly damage: boolean;
  readonly copies: boolean;
  readonly readers: boolean;
  /** Whether a server may be too slow to renew its lease, and go on. */
  readonly slowServers: boolean;
  /**
   * Whether the database is embedded: its transactions end with its one server, which keeps in memory
   * what may be without a record, and compares all contents with all records at a start.
   */
  readonly embedded: boolean;
}

/** Everything that can happen to one content of two servers. */
export const RULES: Rules = {
  servers: 2,
  contents: 1,
  objects: 2,
  records: 1,
  without: new Set(),
  multipart: true,
  waiting: true,
  damage: true,
  copies: true,
  readers: true,
  slowServers: true,
  embedded: false,
};
