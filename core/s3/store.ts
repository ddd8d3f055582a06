/** What the S3 door needs from storage (C 30). */

import type { S3ChecksumKind, S3Metadata } from "../../schemas/s3_metadata.ts";
import type { ListedFacts, ObjectFacts } from "../object_facts.ts";

/** A record of a tree, as lists of keys have it. */
export interface ListedRecord extends ListedFacts {
  readonly path: string;
  readonly isDir: boolean;
  /** In bytes. */
  readonly size: number;
  /** The MD5 of the content in lower-case hex; "" for a directory. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
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
  /** Adds an upload, unless the tree has `max` of them. Returns whether it did. */
  addUpload(upload: MultipartUpload, max: number): Promise<boolean>;
  findUpload(userId: number, id: string, now: number): Promise<MultipartUpload | undefined>;
  /** Some uploads of a tree, sorted by their paths and ids. */
  uploads(query: UploadsQuery): Promise<MultipartUpload[]>;
  /**
   * Keeps a part of an upload, in place of one with its number, and until when the upload is kept then.
   *
   * @returns the part to remove: the one that it replaces, or itself if the upload does not exist.
   */
  keepPart(upload: string, part: UploadedPart, expiresAt: number): Promise<string | undefined>;
  /** Some parts of an upload after a number, in order. */
  parts(upload: string, after: number, limit: number): Promise<UploadedPart[]>;
  removeUpload(id: string): Promise<void>;
  /** Forgets uploads that have expired, and what was kept of objects that do not exist any more. */
  forgetOld(now: number): Promise<void>;
}

/** An upload of one object in parts. Times are in milliseconds since the Unix epoch. */
export interface MultipartUpload {
  /** 128 random bits in lower-case hex. */
  readonly id: string;
  /** Whose tree the object is for. */
  readonly userId: number;
  readonly path: string;
  readonly metadata: S3Metadata;
  /** What the client wants the object to have. */
  readonly checksum: S3ChecksumKind | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A part of an upload. */
export interface UploadedPart {
  /** From 1 to 10000. */
  readonly number: number;
  /** The id of the resumable upload that has its content. */
  readonly part: string;
  /** Where its content begins there, in bytes. */
  readonly position: number;
  /** In bytes. */
  readonly size: number;
  /** In lower-case hex. */
  readonly md5: string;
  /** That by the algorithm of the upload, in base64; undefined if that has none. */
  readonly checksum: string | undefined;
  readonly createdAt: number;
}

/** Which uploads of a tree a list has. */
export interface UploadsQuery {
  readonly userId: number;
  readonly prefix: string;
  /** Those after this path, or at it and after this id. */
  readonly after: { readonly path: string; readonly id: string };
  readonly now: number;
  readonly limit: number;
}
