import type { ResourceStore } from "./ports.ts";

/** Which version of a tree is meant (C 26): by its number, or the one at a time in milliseconds since the Unix epoch. */
export type At = { readonly version: number } | { readonly time: number };

/** The records of one tree as they were at a version, with the same reads as those of the present. */
export interface PastRecords
  extends Pick<ResourceStore, "findByPath" | "findById" | "list" | "listJson" | "collectFiles"> {
  readonly version: number;
}

/** What history keeps of all trees. */
export interface KeptHistory {
  /** The sizes of deleted and former files. */
  readonly bytes: number;
  /** When the first change was made whose former state is kept, in milliseconds since the Unix epoch. */
  readonly earliest: number | undefined;
}

/** How much history trees keep. */
export interface HistoryBounds {
  /** What ended before is given up, in milliseconds since the Unix epoch. */
  readonly before: number;
  /** The most bytes of a tree. */
  readonly maxBytes: number;
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
