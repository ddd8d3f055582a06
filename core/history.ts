import type { PastPoint, Tag } from "./history_changes.ts";
import type { ListedFacts } from "./object_facts.ts";
import type { LocatedLookup, ResourceStore } from "./ports.ts";

/**
 * Which version of a tree is meant (C 26): by its number, the one at a time in milliseconds since the Unix epoch, or
 * what a tag names.
 */
export type At = PastPoint | { readonly time: number } | { readonly name: string };

/**
 * The records of one tree as they were at a version, with the same reads as those of the present. Each of them throws
 * `ErrVersionsNotFound` when the version is not kept.
 */
export interface PastRecords
  extends
    Pick<ResourceStore, "findByPath" | "findById" | "list" | "listJson" | "collectFiles">,
    LocatedLookup {
  readonly point: PastPoint;
}

/** What history keeps of all trees. */
export interface KeptHistory {
  /** How many versions can be read besides the oldest one of each tree. */
  readonly versions: number;
  /** How many were given up. */
  readonly givenUp: number;
  /** The sizes of deleted and former files, and {@link HISTORY_ROW_BYTES} for each row. */
  readonly bytes: number;
  /** When the first change was made whose former state is kept, in milliseconds since the Unix epoch. */
  readonly earliest: number | undefined;
}

/**
 * What a row of history or of a tag counts, in bytes, besides the size of the file that it keeps: about what it takes
 * in the database.
 */
export const HISTORY_ROW_BYTES = 500;

/** How much history trees keep. */
export interface HistoryBounds {
  /** What ended before is given up, in milliseconds since the Unix epoch. */
  readonly before: number;
  /** The most bytes of a tree. */
  readonly maxBytes: number;
}

/** What happened to a record: it was added, got other content, got another path, or was deleted. */
export type ChangeAction = "added" | "replaced" | "moved" | "deleted";

/** A record that a version of its tree has changed. */
export interface TreeChange {
  readonly version: number;
  /** In milliseconds since the Unix epoch. */
  readonly time: number;
  /** Who made the version. */
  readonly author: number;
  /** Why, if that was said. */
  readonly message: string | null;
  readonly action: ChangeAction;
  /** The path of a moved record is that which it got. */
  readonly path: string;
  /** Where a moved record was before. */
  readonly formerPath: string | null;
  readonly isDir: boolean;
  readonly size: number;
  readonly hash: string;
}

/** Where a page of changes begins: after the changes of later versions, and those of this one up to a path. */
export interface LogPlace {
  readonly version: number;
  readonly after: string;
  /** The path that the file or directory has at this place. */
  readonly path: string;
  /** The path that it had before this version. @default the same */
  readonly former?: string | undefined;
}

/** Which changes a page has. */
export interface LogQuery {
  readonly userId: number;
  /** Of what is at the path, and below it. "" is the root. */
  readonly path: string;
  /** @default the newest changes */
  readonly place?: LogPlace | undefined;
  readonly limit: number;
}

/** Changes, newest first, and those of one version by path. */
export interface LogPage {
  readonly changes: readonly TreeChange[];
  /** Where the next page begins. Undefined at the end. */
  readonly next: LogPlace | undefined;
}

/** A file as it is at a path, or was there. */
export interface FileState extends ListedFacts {
  readonly path: string;
  /** The version that made it so; 0 for what was there before. */
  readonly since: number;
  /** The version that ended it. Undefined at present. */
  readonly until: number | undefined;
  /** When that was, in milliseconds since the Unix epoch; 0 at present. */
  readonly endedAt: number;
  /** In bytes. */
  readonly size: number;
  readonly hash: string;
  /** Milliseconds since the Unix epoch. */
  readonly updatedAt: number;
}

/** Which states of files are read: by path, and those of a path from the newest on. */
export interface StatesQuery {
  readonly userId: number;
  /** Those at this path, and at later ones. */
  readonly from: string;
  /** Of those at the first path, the ones that an earlier version than this has made. */
  readonly below: number;
  /** Those at paths before this one. */
  readonly before: string;
  readonly limit: number;
}

/** Something that was deleted as a whole, and can be restored. */
export interface TrashEntry {
  /** The version that deleted it: the one before has it. */
  readonly version: number;
  /** In milliseconds since the Unix epoch. */
  readonly time: number;
  /** Who deleted it. */
  readonly author: number;
  readonly path: string;
  readonly isDir: boolean;
  /** The sizes of all files. */
  readonly size: number;
  readonly files: number;
}

/** Which entries of the trash a page has. */
export interface TrashQuery {
  readonly userId: number;
  /** After which entry it begins. @default at the newest */
  readonly place?: Pick<LogPlace, "version" | "after"> | undefined;
  readonly limit: number;
}

/** Entries of the trash, newest first. */
export interface TrashPage {
  readonly entries: readonly TrashEntry[];
  readonly next: Pick<LogPlace, "version" | "after"> | undefined;
}

/** Which tags a list has, newest first. */
export interface TagQuery {
  readonly userId: number;
  /** Only those of this path. @default all */
  readonly path?: string | undefined;
  readonly limit: number;
  /** Only tags with a lower id. */
  readonly before?: number | undefined;
}

/** The commit id of a repository of the hub at a version of its tree. */
export interface KeptCommit {
  /** The directory of the repository. */
  readonly directory: string;
  /** Or the negative id of a tag. */
  readonly version: number;
  readonly commitId: string;
  /** When a record in it was last changed, in milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** The commits of repositories. Their ids are kept once they were computed. */
export interface CommitStore {
  /** Those with a commit id, of a repository and of its branches, newest first. */
  withId(userId: number, directory: string, commitId: string): Promise<KeptCommit[]>;
  /** Those that are known of some versions. */
  known(userId: number, directory: string, versions: readonly number[]): Promise<KeptCommit[]>;
  keep(userId: number, commits: readonly KeptCommit[]): Promise<void>;
  /**
   * The versions that have changed something at or below a path, newest first, with who made them, and why. At the
   * end comes the oldest version that can be read.
   *
   * @throws {AppError} `ErrVersionsNotFound` when no history is kept.
   */
  versions(
    userId: number,
    directory: string,
    page: { readonly upTo: number; readonly limit: number },
  ): Promise<readonly (Pick<TreeChange, "version" | "time" | "author" | "message">)[]>;
}

/** The versions of trees. See docs/design/history.md. */
export interface HistoryStore {
  /**
   * The records of a tree at a version. All reads of them are refused as this is, once history has given the
   * version up.
   *
   * @throws {AppError} `ErrVersionsNotFound` when the version is no longer kept, or yet to come.
   */
  at(userId: number, at: At): Promise<PastRecords>;
  /**
   * What has changed at a path and below it. Goes on with what was at another path before it was moved there.
   *
   * @throws {AppError} `ErrVersionsNotFound` when no history is kept.
   */
  log(query: LogQuery): Promise<LogPage>;
  /**
   * What was deleted as a whole and is not there again.
   *
   * @throws {AppError} `ErrVersionsNotFound` when no history is kept.
   */
  trash(query: TrashQuery): Promise<TrashPage>;
  /** States of files that can be read. Undefined if no history is kept. */
  states(query: StatesQuery): Promise<readonly FileState[] | undefined>;
  tags(query: TagQuery): Promise<Tag[]>;
  /** The commits of repositories of the hub. */
  readonly commits: CommitStore;
  /**
   * Removes a tag, and returns it, with the hashes that may have lost their last reference unless the store remembers
   * them itself. Undefined if there was none.
   */
  removeTag(
    userId: number,
    name: string,
  ): Promise<{ readonly tag: Tag; readonly hashes: readonly string[] } | undefined>;
  /**
   * Has all servers of the database keep history from now on, or none. What was kept before it was off the last
   * time cannot be read again, as nothing tells what changed meanwhile.
   */
  turn(isOn: boolean): Promise<void>;
  /** What all trees keep. */
  kept(): Promise<KeptHistory>;
  /** Puts a part of what changes have kept lately into order. Returns whether all of it is. */
  settle(): Promise<boolean>;
  /**
   * Gives up a part of what is too old, or more than a tree may keep. Returns the hashes that may have lost their
   * last reference, unless the store remembers them itself.
   */
  giveUp(
    bounds: HistoryBounds,
  ): Promise<{ readonly hashes: readonly string[]; readonly done: boolean }>;
}
