/** A file or directory in the tree (RS 2). Times are milliseconds since the Unix epoch. */
export interface ResourceRecord {
  readonly id: number;
  readonly userId: number;
  readonly path: string;
  /** The last segment of `path`. */
  readonly name: string;
  /** The MD5 of the content in lower-case hex; "" for a directory. */
  readonly hash: string;
  /** Size in bytes; 0 for a directory. */
  readonly size: number;
  /** The CRC-32 of the content, which ZIP headers state before the content; 0 for a directory. */
  readonly crc32: number;
  readonly isDir: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A record, and the new path for it or its copy. */
export interface Placement {
  readonly source: ResourceRecord;
  readonly target: string;
}

/** Records in order, as many as a change has. */
export type RecordList = readonly ResourceRecord[] | StoredRecords;

/** Records that are kept outside of the memory of the process. Disposing deletes them. */
export interface StoredRecords extends Disposable {
  readonly length: number;
  /** The space that they take. */
  readonly bytes: number;
  /** How many each user has. */
  readonly owners: ReadonlyMap<number, number>;
  /** Some of the records from a position on: none at the end only. */
  from(position: number): Promise<readonly ResourceRecord[]>;
  /** The records of one user, which are disposed of on their own. */
  ownedBy(userId: number): StoredRecords;
  /** The same records, which are disposed of on their own. */
  share(): StoredRecords;
}

/** What a move or copy did to records. */
export interface TransferEffects {
  /** Files that other files replaced. */
  readonly overwritten: RecordList;
  /** Copies at paths that were free. */
  readonly added: RecordList;
  /** Moved records, copies that replaced files, and directories merged into. */
  readonly updated: RecordList;
  /** Moved directories that were merged into those at their target paths. */
  readonly merged: RecordList;
}
