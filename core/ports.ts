/**
 * What core needs from storage. Every port is asynchronous, so that a distributed store can stand
 * behind it later; tests/conformance holds the suite that each implementation passes.
 */

import type { Chunk, ContentReader } from "./content.ts";

/** A stored record (RS 2). Times are milliseconds since the Unix epoch. */
export interface ResourceRecord {
  readonly id: number;
  readonly userId: number;
  readonly path: string;
  /** The last segment of `path`. */
  readonly name: string;
  /** The MD5 of the content in lower-case hex; "" for a directory. */
  readonly hash: string;
  /** Bytes; 0 for a directory. */
  readonly size: number;
  /** The CRC-32 of the content, which a ZIP needs before it has read it; 0 for a directory. */
  readonly crc32: number;
  readonly isDir: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A record before the store has given it an id. Its `name` follows from its `path`. */
export type NewRecord = Omit<ResourceRecord, "id" | "name">;

/** Whose records a lookup sees (RS 1.3), and who is preferred where several hold a path (RS 1.4). */
export interface Scope {
  readonly userId: number;
  readonly everyone: boolean;
}

/** Lookups by RS 1.4: the caller's own record first, then the most recently updated, then by id. */
export interface RecordLookup {
  /** The record of each path that has one within the scope. */
  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>>;
}

/** What to list (RS 4.1). */
export interface ListQuery {
  readonly scope: Scope;
  readonly recursive: boolean;
  /** The directories asked for; none means the root. */
  readonly directories: readonly string[];
  /** The directories asked for and all above them, which are listed themselves (RS 4.1.3, 4.1.6). */
  readonly chain: readonly string[];
}

/** One file of a {@link FileCollection}. */
export interface CollectedFile {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  readonly updatedAt: number;
  /** What {@link FileCollection.setPackedSize} was told, else null. */
  readonly packedSize: number | null;
}

/**
 * The files below some records at one moment, in path order, one a path. It is kept outside of the
 * process's memory and may be read several times; disposing it forgets it.
 */
export interface FileCollection extends AsyncDisposable {
  /**
   * A path at which two different records were collected that can't be in one archive: two files, one
   * of them by its id, or a file and a directory (RS 4.7.5).
   */
  readonly sharedPath: string | undefined;
  /** The files in path order, some hundreds at a time. */
  pages(): AsyncIterable<readonly CollectedFile[]>;
  /** Notes how many bytes a file took in an archive, for the next reading. */
  setPackedSize(path: string, bytes: number): Promise<void>;
}

/** The roots of a {@link FileCollection}, by how they were named. */
export interface CollectionRoots {
  /** Where two files fall on one path, a file of this user is preferred. */
  readonly userId: number;
  readonly byPath: readonly ResourceRecord[];
  readonly byId: readonly ResourceRecord[];
}

/** A record, and the path that it is to have or that its copy is to have. */
export interface Placement {
  readonly source: ResourceRecord;
  readonly target: string;
}

/** What a move or copy did to a record. */
export interface TransferEffect {
  readonly kind:
    /** A copy was made where nothing stood. */
    | "added"
    /** It was moved, or took the place of a file, or is a directory that another was merged into. */
    | "updated"
    /** It is a file that gave way to another one. */
    | "overwritten"
    /** It is a moved directory that gave way to the one at its counterpart path. */
    | "merged";
  readonly record: ResourceRecord;
  /** The path of the record that is moved or copied: this one, or the one that it met. */
  readonly source: string;
}

/** What can be done inside a write transaction. */
export interface WriteTransaction extends RecordLookup {
  /** Has something done when the transaction is about to commit, which it then does not if that fails. */
  beforeCommit(action: () => Promise<void>): void;
  /**
   * Adds the records, in the given order.
   *
   * @throws {AppError} `ErrResourcesAlreadyExists` where an owner already holds a path.
   */
  insert(records: readonly NewRecord[]): Promise<ResourceRecord[]>;
  /** Removes each record with all its descendants of the same owner, and returns what went, once each. */
  deleteSubtrees(roots: readonly ResourceRecord[]): Promise<ResourceRecord[]>;
  /**
   * Moves each source with all below it, one after the other. Every record gets the path that
   * corresponds to its own below the target: a file replaces a file there, a directory merges into a
   * directory, and nothing replaces what is moved along with it (RS 4.4.7, C 7). The effects are in
   * the order of the sources: what was overwritten, merged and moved, each by path; but a source
   * that was merged itself is the last of the merged.
   *
   * @throws {AppError} `ErrResourcesConflict` where a file meets a directory,
   *   `ErrResourcesInvalidRequest` where a source is not there any more or a path gets too long.
   */
  moveSubtrees(placements: readonly Placement[], now: number): Promise<TransferEffect[]>;
  /**
   * Copies each source with all below it, as they were before the first is copied. A copied file
   * replaces a file at its path; a directory that is there already is kept and counts as updated,
   * but not where it is the target itself (RS 4.5). The effects are what was overwritten, and then
   * the rest in the order of the sources and by path.
   *
   * @throws {AppError} as {@link moveSubtrees} does.
   */
  copySubtrees(placements: readonly Placement[], now: number): Promise<TransferEffect[]>;
  /** Those of the hashes that no record holds. */
  unreferenced(hashes: readonly string[]): Promise<string[]>;
}

/** The records of all users. */
export interface ResourceStore extends RecordLookup {
  /** The record of each id that has one within the scope. */
  findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>>;
  /**
   * The records of a listing as RS 4.1.2–7 and C 8 say, some hundreds at a time and all of one
   * moment. A reader that takes no batch for long loses its place: the iteration then throws.
   */
  list(query: ListQuery): AsyncIterable<readonly ResourceRecord[]>;
  /** Collects all files at and below the roots. */
  collectFiles(roots: CollectionRoots): Promise<FileCollection>;
  /**
   * Runs `work` in a write transaction, after all that was given before. When the promise resolves,
   * what it did is durable; when it rejects, nothing of it happened.
   */
  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    options?: WriteOptions<T>,
  ): Promise<T>;
}

export interface WriteOptions<T> {
  /** Called when the work is committed, before any further work starts. */
  readonly committed?: (result: T) => void;
  /**
   * Whether nothing else may be committed or lost together with this work. Small writes that wait
   * for their turn otherwise share a commit. @default false
   */
  readonly alone?: boolean;
}

/** Content that has been received whole and waits for its place. Disposing it forgets it. */
export interface StagedBlob extends AsyncDisposable {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
}

/** A part of a blob: `start` is the first byte, `end` the one behind the last. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Content by its hash. */
export interface BlobStore {
  /**
   * Whether content may have been left without a record: by a crash before this start, or by a
   * removal that failed. What is so when the store closes is so when it is opened again.
   */
  needsSweep: boolean;
  /**
   * Receives content, hashing it on the way. Whatever `content` throws is thrown on, and nothing of
   * it is kept then.
   *
   * @throws {AppError} `ErrResourcesInvalidData` where other content has the same hash (C 6).
   */
  stage(content: AsyncIterable<Chunk>): Promise<StagedBlob>;
  /**
   * Gives staged content its place, which is durable when the transaction commits. Content that is
   * there already is shared.
   *
   * @throws {AppError} `ErrResourcesInvalidData` where other content has the same hash (C 6).
   */
  publish(
    staged: readonly StagedBlob[],
    transaction: Pick<WriteTransaction, "beforeCommit">,
  ): Promise<void>;
  /**
   * Removes content. To be called inside a write transaction which saw that no record holds it, and
   * which is alone: the record that another work deletes would come back with a failed commit.
   */
  remove(hashes: readonly string[]): Promise<void>;
  /** Every hash that has content, some at a time. */
  hashes(): AsyncIterable<readonly string[]>;
  /** The size of the content in bytes, or undefined where there is none. */
  sizeOf(hash: string): Promise<number | undefined>;
  /**
   * Opens content for reading: from here on a removal does not disturb it. To be read to its end or
   * returned. Undefined where there is no such content.
   */
  open(hash: string, range: ByteRange): Promise<ContentReader | undefined>;
  /**
   * Opens content as a raw DEFLATE stream (RFC 1951). Undefined where there is no such content, and
   * where `always` is false and samples of it say that it would hardly shrink.
   */
  openDeflated(hash: string, options: { always: boolean }): Promise<ContentReader | undefined>;
}
