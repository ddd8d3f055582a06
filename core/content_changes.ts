/** What a write transaction changes of the rows that say which content is stored. */

import type { Chunk } from "./content.ts";

/** What the records' store keeps of content. */
export interface ContentRow {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  readonly sha256: Chunk;
  /** The content itself, or undefined if it is elsewhere. */
  readonly bytes: Chunk | undefined;
  /** The arriving object that holds the content. @default it is in no object */
  readonly object?: string;
  /** Whether the file was not stored before: what the row has of it is outdated. @default false */
  readonly isNew?: boolean;
}

/** Content that is small enough to be kept with the records. */
export interface SmallContent extends ContentRow {
  readonly bytes: Chunk;
}

/** What {@link ContentChanges.put} has found stored. */
export interface FoundContents {
  /** Hashes whose bytes were not added because their content is in a file. It may hold others. */
  readonly inFiles: ReadonlySet<string>;
  /** Damaged bytes that were replaced, by hash, with the MD5 that they had. */
  readonly damaged: ReadonlyMap<string, string>;
}

/** Changes of content rows. They are part of the transaction that they were taken from. */
export interface ContentChanges {
  /**
   * Locks the rows of contents until the transaction ends, and adds those that are missing: no other
   * transaction removes the content meanwhile. Left out if write transactions run one after the other.
   */
  lock?(contents: readonly ContentRow[]): Promise<void>;
  /**
   * Adds contents. Those that are stored already stay as they are, unless their bytes are damaged: then
   * the new ones replace them.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when other bytes with the same hash are stored (C 6).
   */
  put(contents: readonly ContentRow[]): Promise<FoundContents>;
  /** Replaces what is stored under a hash. */
  replace(content: ContentRow): Promise<void>;
  /** Removes contents. Their objects leave. */
  remove(hashes: readonly string[]): Promise<void>;
  /** Moves contents into the quarantine of the database, and returns how much. */
  quarantine(hashes: readonly string[]): Promise<ContentAmount>;
}

/** An amount of content. */
export interface ContentAmount {
  readonly count: number;
  readonly bytes: number;
}

/** A write transaction, as far as content is removed in it. */
export interface ContentRemoval {
  readonly contents: Pick<ContentChanges, "remove" | "quarantine">;
}
