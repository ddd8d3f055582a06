/** What core needs from the store of content. */

import type { Compression } from "../schemas/resources.ts";
import type { Chunk, ContentReader, LocatedContent, StoredContent } from "./content.ts";
import type { ContentRemoval, SmallContent } from "./content_changes.ts";
import type { DamagedContent } from "./errors.ts";
import type { ContentFacts, WriteTransaction } from "./ports.ts";

/** Completely received content that is not published yet. Disposing discards it unless published. */
export interface StagedBlob extends AsyncDisposable {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  /** In lower-case hex. */
  readonly sha256: string;
  /** The content itself if it is small and in memory, where a store of records may keep it (C 12). */
  readonly small?: SmallContent | undefined;
  /** Set if the content stored under this hash was found damaged. Publishing this content replaces it. */
  readonly damage: DamagedContent | undefined;
}

/** A range of a blob, from the byte `start` up to, but not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file for an archive. */
export interface PackedFile<File> {
  readonly file: File;
  /** Undefined if the file's content is missing. */
  readonly packed: PackedContent | undefined;
}

/** Content as an archive stores it. */
export interface PackedContent {
  /** Whether `content` is a raw DEFLATE stream (RFC 1951). */
  readonly deflated: boolean;
  /** Closed when the next file is requested. */
  readonly content: ContentReader;
}

/** All hashes with a prefix that have content. */
export interface HashRange {
  readonly prefix: string;
  readonly hashes: readonly string[];
}

/** Stores content by its MD5. */
export interface BlobStore {
  /**
   * Whether there may be content without a record, after a crash or a failed removal. The store keeps
   * this state when it is closed and opened again.
   */
  needsSweep: boolean;
  /**
   * Refuses content of so many bytes before any of it is received, if the disk has no room for it.
   *
   * @throws {AppError} `ErrInternal` when the storage is full.
   */
  requireSpace(bytes: number): Promise<void>;
  /**
   * Receives content and hashes it. The memory of its chunks is given away. On failure nothing is kept.
   *
   * @param spool A file of the server that has each chunk before `content` returns it, and is there until the content
   *   is published. A store of files keeps it instead of writing another. @default none
   * @throws {AppError} `ErrResourcesInvalidData` when different content with the same hash is stored
   *   (C 6).
   * @throws the error of `content`, unchanged.
   */
  stage(content: AsyncIterable<Chunk>, spool?: string): Promise<StagedBlob>;
  /**
   * Prepares the publication of content, outside of a write transaction. Content that does not become
   * part of the tree must be removed then, once it is disposed of.
   */
  announce(staged: readonly StagedBlob[]): Promise<void>;
  /**
   * Makes announced content available under its hash, durably once the transaction commits. Content
   * that is stored already is shared.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when different content with the same hash is stored
   *   (C 6).
   */
  publish(
    staged: readonly StagedBlob[],
    transaction: Pick<WriteTransaction, "beforeCommit" | "contents">,
  ): Promise<void>;
  /**
   * Removes content in a write transaction that has found no record with these hashes, and that shares
   * its commit with no other work: if that commit failed, a record that other work deleted would come
   * back without its content.
   */
  remove(hashes: readonly string[], transaction: ContentRemoval): Promise<void>;
  /** All hashes that have content, in ranges that cover all possible hashes. */
  hashes(): AsyncIterable<HashRange>;
  /**
   * Returns the size of the content in bytes, or undefined if it is not stored.
   *
   * @param when Whether what was so some minutes ago will do, as nothing is read. @default it has to be so now
   */
  sizeOf(hash: string, when?: "lately"): Promise<number | undefined>;
  /**
   * Returns the sizes of hundreds of contents, in the order of the hashes. However many callers there
   * are, other operations do not wait for long.
   *
   * @throws the signal's reason when it aborts first.
   */
  sizesOf(hashes: readonly string[], signal: AbortSignal): Promise<(number | undefined)[]>;
  /**
   * Opens content for reading. A later removal does not affect the reader. Read it to its end, or
   * return it. Returns undefined if the content is not stored.
   *
   * @param located Where it was a moment ago. @default it is looked up
   */
  open(
    hash: string,
    range: ByteRange,
    located?: LocatedContent,
  ): Promise<StoredContent | undefined>;
  /**
   * Reads the contents of files for an archive, in order, and compresses those that shrink, all of them
   * but empty ones, or none. Memory use does not depend on the number and size of the files.
   *
   * @throws {DamagedContent} when content does not have the size and CRC-32 of its file: before the
   *   last chunk of this content is returned.
   */
  pack<File extends ContentFacts>(
    pages: AsyncIterable<readonly File[]>,
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void>;
}
