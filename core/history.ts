import type { ResourceStore } from "./ports.ts";

/** Which version of a tree is meant (C 26): by its number, or the one at a time in milliseconds since the Unix epoch. */
export type At = { readonly version: number } | { readonly time: number };

/** The records of one tree as they were at a version, with the same reads as those of the present. */
export interface PastRecords
  extends Pick<ResourceStore, "findByPath" | "findById" | "list" | "listJson" | "collectFiles"> {
  readonly version: number;
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
}
