/** What core needs from storage for content that waits for a commit (C 20). */

import type { StagedBlob } from "./blob_store.ts";
import type { Chunk } from "./content.ts";
import type { ContentFacts } from "./ports.ts";

/** The name and size of content, as Git LFS states them. */
export interface LfsPointer {
  /** In lower-case hex. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** Content that a client has sent, and that waits for a commit. Times are milliseconds since the Unix epoch. */
export interface LfsObject extends LfsPointer, ContentFacts {
  /** 128 random bits in lower-case hex, the name of its file. */
  readonly id: string;
  /** For whose tree it is. */
  readonly userId: number;
  /** Who sent it. */
  readonly createdBy: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Thrown when content does not wait for a commit any more: another one has taken it, or it has expired. */
export class ObjectGone extends Error {
  override readonly name = "ObjectGone";
}

/** What a tree may have waiting. */
export interface LfsBounds {
  readonly maxObjects: number;
  /** The most bytes of the tree, those that wait included. @default unlimited */
  readonly quota: number | undefined;
}

/** Whether an object was added, and if not, why: the tree has it, or a bound would be exceeded. */
export type LfsOutcome = "added" | "held" | "tooMany" | "overQuota";

/** Keeps what is known of content that waits for a commit. It counts against the quota. */
export interface LfsObjectStore {
  /**
   * Adds an object within bounds. If the tree has one with this SHA-256, that one lasts as long as the
   * new one would.
   */
  add(object: LfsObject, bounds: LfsBounds): Promise<LfsOutcome>;
  /** The objects of a tree with one of the digests, unless they have expired. */
  waiting(userId: number, sha256s: readonly string[], now: number): Promise<LfsObject[]>;
  /**
   * Says of each content whether the tree has it, in a file or waiting. Its work does not depend on
   * what other trees have.
   */
  holds(userId: number, pointers: readonly LfsPointer[], now: number): Promise<boolean[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes some objects that have expired, and returns their ids. */
  removeExpired(now: number): Promise<string[]>;
  /**
   * The path of a file of the tree with each content, of one below the directory if that is among the first
   * hundred. Undefined without one.
   */
  files(
    userId: number,
    directory: string,
    pointers: readonly LfsPointer[],
  ): Promise<(string | undefined)[]>;
  /** The ids of objects after an id, in order. */
  idsAfter(id: string, limit: number): Promise<string[]>;
  /** Returns those of the ids that objects have. */
  present(ids: readonly string[]): Promise<string[]>;
  /** The key that signs addresses for content, 32 random bytes. The first call makes it. */
  key(): Promise<Chunk>;
}

/** Keeps the content of objects, each in a file of its own. */
export interface ParkedContent {
  /** Takes staged content over, durably. */
  park(id: string, blob: StagedBlob): Promise<void>;
  /**
   * The content of an object, to be published; undefined if it is gone. The file stays until it is
   * removed.
   */
  unpark(object: LfsObject): Promise<StagedBlob | undefined>;
  /** Removes the content of an object if it is there. */
  remove(id: string): Promise<void>;
}
