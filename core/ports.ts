/**
 * What core needs from storage. All ports are asynchronous. Each implementation passes the suites in
 * tests/conformance.
 * See docs/design/invariants.md.
 */

import type { Chunk, LocatedContent } from "./content.ts";
import type { ContentChanges } from "./content_changes.ts";
import type { ObjectFacts } from "./object_facts.ts";
import type { Entries } from "./event_channel.ts";
import type { HistoryChanges, MadeVersions } from "./history_changes.ts";
import type { DavChanges } from "./locks.ts";
import type { Usage } from "./usage.ts";
import type { Placement, RecordList, ResourceRecord, TransferEffects } from "./records.ts";
import type { AcceptedVerdicts, RefusedFile } from "./verdicts.ts";

export type {
  Placement,
  RecordList,
  ResourceRecord,
  StoredRecords,
  TransferEffects,
} from "./records.ts";

/** A record without its id, which the store assigns, and its name, which the path implies. */
export type NewRecord = Omit<ResourceRecord, "id" | "name">;

/** The new content of a file whose record stays. */
export type NewContent = Pick<
  ResourceRecord,
  "id" | "userId" | "hash" | "size" | "crc32" | "updatedAt"
>;

/** What the record of a file states about its content. */
export type ContentFacts = Pick<ResourceRecord, "hash" | "size" | "crc32">;

/** Content to look for by its digest. */
export interface AskedContent {
  /** In lower-case hex. */
  readonly sha256: string;
  /** In bytes. @default any */
  readonly size?: number | undefined;
}

/** Which records a lookup sees (RS 1.3), and whose it prefers if several have the same path (RS 1.4). */
export interface Scope {
  readonly userId: number;
  readonly everyone: boolean;
}

/** Lookups prefer the record of the caller, then the most recently updated, then the lowest id (RS 1.4). */
export interface RecordLookup {
  /** Returns the preferred record within the scope for each path that has one. */
  findByPath(scope: Scope, paths: readonly string[]): Promise<Map<string, ResourceRecord>>;
}

/** The query of a listing (RS 4.1). */
export interface ListQuery {
  readonly scope: Scope;
  readonly recursive: boolean;
  /** The requested directories; empty means the root. */
  readonly directories: readonly string[];
  /** The requested directories and their ancestors, which are listed themselves (RS 4.1.3, 4.1.6). */
  readonly chain: readonly string[];
}

/** Part of a list as callers receive it. */
export interface ItemsJson {
  /** The items as JSON in UTF-8, a comma before each. */
  readonly json: Chunk;
  readonly count: number;
}

/** One file of a {@link FileCollection}. */
export interface CollectedFile {
  readonly userId: number;
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  readonly updatedAt: number;
  /** When its content was stored, once {@link FileCollection.refused} was called; else null. */
  readonly storedAt: number | null;
  /** The size set by {@link FileCollection.setPackedSizes}, or null. */
  readonly packedSize: number | null;
}

/**
 * A snapshot of the files at and below some records: one file for each path, in path order. It is
 * kept outside of the memory of the process, and can be read several times. Disposing deletes it.
 */
export interface FileCollection extends AsyncDisposable {
  /**
   * A path at which an archive would need two entries (RS 4.7.5): two different files, at least one
   * of them collected by id, or a file and a directory. Undefined if there is none.
   */
  readonly sharedPath: string | undefined;
  /** The files in path order, in pages of some hundreds. */
  pages(): AsyncIterable<readonly CollectedFile[]>;
  /**
   * Like {@link pages}, without the files whose content, of the right size, was seen when they were
   * collected.
   */
  uncheckedPages(): AsyncIterable<readonly CollectedFile[]>;
  /**
   * The first files that the gate refuses, those that wait for a scan last. Notes for each file when
   * its content was stored.
   */
  refused(accepted: AcceptedVerdicts, limit: number): Promise<RefusedFile[]>;
  /** Stores the sizes of files in the archive, by path, which later readings return. */
  setPackedSizes(sizes: ReadonlyMap<string, number>): Promise<void>;
}

/** The roots of a {@link FileCollection}, separated by how they were requested. */
export interface CollectionRoots {
  /** If two files found by path have the same path, a file of this user is preferred. */
  readonly userId: number;
  readonly byPath: readonly ResourceRecord[];
  readonly byId: readonly ResourceRecord[];
}

/** The operations inside a write transaction. */
export interface WriteTransaction extends RecordLookup {
  /** Changes of the rows of content. Those of a change in steps are steps, too, and are not undone. */
  readonly contents: ContentChanges;
  readonly dav: DavChanges;
  readonly history: HistoryChanges;
  /** Runs `action` before the transaction commits. If the action fails, the transaction does too. */
  beforeCommit(action: () => Promise<void>): void;
  /**
   * Runs work that changes something else than records: at once, or if the transaction is carried out in
   * steps, after all that changes records.
   */
  last(work: () => Promise<void>): Promise<void>;
  /**
   * States how many records of a user the work adds or replaces, before it does: a store may run the work
   * anew, in steps, so that others need not wait for its end.
   */
  expect(userId: number, records: number): Promise<void>;
  /**
   * Adds the records, in the given order.
   *
   * @throws {AppError} `ErrResourcesAlreadyExists` when a record of the same owner has a path.
   */
  insert(records: readonly NewRecord[]): Promise<ResourceRecord[]>;
  /** Gives files other content. Returns their records in the given order. */
  replaceFiles(files: readonly NewContent[]): Promise<ResourceRecord[]>;
  /**
   * Deletes records and their descendants of the same owner. Returns each deleted record once, sorted
   * by path and then by age (RS 4.6.5).
   */
  deleteSubtrees(roots: readonly ResourceRecord[]): Promise<RecordList>;
  /**
   * Moves the sources with their descendants, one source after the other. A file replaces a file at
   * its target path, a directory merges into a directory there, and nothing replaces a record that
   * moves along (RS 4.4.7, C 7).
   *
   * Returns the net effects, as a later source may move or replace what an earlier one has moved: each
   * record once, in the turn of the source that it was below, and one that is gone with the path that it
   * had before the call. Sorted by source and then by path, except that the source itself comes last of
   * the merged.
   *
   * @throws {AppError} `ErrResourcesConflict` when a file and a directory would have the same path,
   *   `ErrResourcesInvalidRequest` when an earlier source moved or replaced a source, or a path would
   *   be too long.
   */
  moveSubtrees(placements: readonly Placement[], now: number): Promise<TransferEffects>;
  /**
   * Copies the sources with their descendants, as they were before the first copy. A file replaces a
   * file at its target path. A directory at a target path is kept, and counts as updated unless it is
   * the target of a source itself (RS 4.5).
   *
   * Returns the effects, each sorted by source and then by path.
   *
   * @throws {AppError} as {@link moveSubtrees} does.
   */
  copySubtrees(placements: readonly Placement[], now: number): Promise<TransferEffects>;
  /** What the tree of a user holds at this point. */
  usage(userId: number): Promise<Usage>;
  /** Keeps what the S3 door has of the object of a record, in place of what it had before. */
  keepFacts(record: Pick<ResourceRecord, "id" | "hash">, facts: ObjectFacts): Promise<void>;
  /**
   * Marks resumable uploads as complete.
   *
   * @throws {AppError} `ErrUploadsLocked` when one of them is complete already, or has ended.
   */
  completeUploads(ids: readonly string[], now: number): Promise<void>;
  /** Ends an upload in parts: it has become an object. */
  endMultipart(id: string): Promise<void>;
  /** The content of the tree with each of the digests, or undefined if none of its files has it. */
  findContents(
    userId: number,
    asked: readonly AskedContent[],
  ): Promise<(ContentFacts | undefined)[]>;
  /**
   * Removes content that waits for a commit from the list of it, with the last step.
   *
   * @throws {ObjectGone} when some of it does not wait any more.
   */
  takeObjects(ids: readonly string[]): Promise<void>;
  /** Returns those of the hashes that no record has. */
  unreferenced(hashes: readonly string[]): Promise<string[]>;
}

/** A record, and what one lookup has found of it besides. */
export interface LocatedRecord {
  readonly record: ResourceRecord;
  /** Where its content is. @default it is a directory */
  readonly located?: LocatedContent;
  /** What the S3 door keeps of it. @default nothing */
  readonly facts?: ObjectFacts | undefined;
}

/** Finds records together with their content, which saves a round trip. */
export interface LocatedLookup {
  /** The record that `findByPath` finds at a path, with what belongs to it, unless it has to be looked for there. */
  findLocated(scope: Scope, path: string): Promise<LocatedRecord | undefined>;
}

/** The records of all users. */
export interface ResourceStore extends RecordLookup {
  /** Returns the record within the scope for each id that has one. */
  findById(scope: Scope, ids: readonly number[]): Promise<Map<number, ResourceRecord>>;
  /**
   * Lists records as RS 4.1.2 to 4.1.7 and C 8 specify, in batches of some hundreds. They are from one
   * snapshot if the reader is fast. A slow one sees what changes in between.
   */
  list(query: ListQuery): AsyncIterable<readonly ResourceRecord[]>;
  /** Like {@link list}, as callers receive it: the thread that reads the records makes the text. */
  listJson(query: ListQuery): AsyncIterable<ItemsJson>;
  /** What the trees within the scope hold. */
  usage(scope: Scope): Promise<Usage>;
  /** Collects the files at and below the roots. */
  collectFiles(roots: CollectionRoots): Promise<FileCollection>;
  /**
   * Runs `work` in a write transaction, after all work passed earlier. When the promise resolves, the
   * changes are durable. When it rejects, there are none.
   */
  write<T>(
    work: (transaction: WriteTransaction) => Promise<T>,
    options?: WriteOptions<T>,
  ): Promise<T>;
}

export interface WriteOptions<T> {
  /** The user who asked for it. Where writes run one after the other, users take turns. @default none */
  readonly userId?: number;
  /**
   * Called after the commit, before any further work starts, with the versions that the work has made of trees, by
   * their users. A store that keeps events states versions there itself, and here only those that were described.
   */
  readonly onCommit?: (result: T, versions: MadeVersions) => void;
  /**
   * The events of the result. A store that keeps events appends them in the transaction, and disposes of
   * them. @default none
   */
  readonly events?: ((result: T) => Entries) | undefined;
  /**
   * Whether the work needs a commit of its own. Other small writes that wait share one. @default false
   */
  readonly alone?: boolean;
  /**
   * Whether the work depends on no records but those that it changes, what is below them, and the directories
   * above: while it changes many, others may change the rest of the tree. @default false
   */
  readonly isLocal?: boolean;
}
