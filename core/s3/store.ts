/** What the S3 door needs from storage (C 30). */

import type { ObjectFacts } from "../object_facts.ts";

/** A record of a tree, as lists of keys have it. */
export interface ListedRecord {
  readonly path: string;
  readonly isDir: boolean;
  /** In bytes. */
  readonly size: number;
  /** The MD5 of the content in lower-case hex; "" for a directory. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
  /** The ETag, without quotes, of an object that was uploaded in parts. */
  readonly etag: string | undefined;
}

/** Some records of a tree, in the order of the bytes of their paths. */
export interface RecordsQuery {
  readonly userId: number;
  /** Those in a directory, "" for the root, and not in those below it. @default all of the tree */
  readonly directory?: string | undefined;
  /** That with this path, and those after it. */
  readonly from: string;
  /** Those before this path. */
  readonly before: string;
  readonly limit: number;
}

/** Keeps what records have no place for. Rows of records that have other content since count as none. */
export interface S3Store {
  /** Reads records. Two pages may be from different snapshots. */
  records(query: RecordsQuery): Promise<ListedRecord[]>;
  /** What is kept of the object of a record with a content. */
  facts(record: { readonly id: number; readonly hash: string }): Promise<ObjectFacts | undefined>;
}
