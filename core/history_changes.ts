import type { Placement, ResourceRecord, TransferEffects } from "./records.ts";

/** A version of a tree, or what a tag names of one. */
export interface PastPoint {
  readonly version: number;
  /** The id of the tag. */
  readonly tag?: number | undefined;
}

/** A name of a file or directory as it was, which keeps it (C 26). */
export interface Tag {
  readonly id: number;
  /** Whose tree it is. */
  readonly userId: number;
  readonly name: string;
  /** "" for the whole tree. */
  readonly path: string;
  /** The version of the tree; 0 without history. */
  readonly version: number;
  readonly message: string | null;
  readonly createdBy: number;
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly files: number;
  /** The sizes of the files. */
  readonly bytes: number;
}

/** A tag to add. */
export type NewTag = Omit<Tag, "id" | "version" | "files" | "bytes">;

/** What no version of a tree is to have any more. */
export interface Purge {
  readonly userId: number;
  /** What was at these paths, and below them, and is there no more. */
  readonly paths: readonly string[];
  /** Contents, unless the tree has them now. @default only those of the paths */
  readonly hashes?: readonly string[];
}

/** Who makes a version, and why. */
export interface VersionNote {
  readonly author: number;
  readonly message?: string | undefined;
}

/** The version that work has made of each tree that it has changed, by the user (C 26). None without history. */
export type MadeVersions = ReadonlyMap<number, number>;

/** What a write transaction does about the versions that it makes. */
export interface HistoryChanges {
  /** Notes who makes the version of a tree, once it has changed. Without a note, it is the user whose tree it is. */
  describe(userId: number, note: VersionNote): Promise<void>;
  /**
   * Copies what the sources and all below them were at a version of their tree, as `copySubtrees` does for what they
   * are.
   *
   * @throws {AppError} `ErrVersionsNotFound` when the version is no longer kept.
   */
  restoreSubtrees(
    placements: readonly Placement[],
    point: PastPoint,
    now: number,
  ): Promise<TransferEffects>;
  /**
   * Lets no version have some content any more. What was at the paths goes with all of its history, and so does its
   * content wherever else the past of the tree has it. Returns the hashes that may have lost their last reference.
   */
  purge(purge: Purge): Promise<string[]>;
  /** The contents with a SHA-256, by their hashes, and the files of all trees that have them. */
  holders(sha256: string): Promise<{
    readonly hashes: readonly string[];
    readonly records: readonly ResourceRecord[];
  }>;
  /**
   * Adds a tag of what is at a path and below it now, or was at a point of the past.
   *
   * @throws {AppError} `ErrTagsConflict` when the tree has a tag of the name, `ErrResourcesNotFound` when nothing is
   *   at the path, `ErrVersionsNotFound` when the version is no longer kept.
   */
  addTag(tag: NewTag, point?: PastPoint): Promise<Tag>;
  /** Lets nothing that was in any tree have the contents any more, nor what is known of them. */
  purgeEverywhere(hashes: readonly string[]): Promise<void>;
}
