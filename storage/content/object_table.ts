import type { Chunk } from "../../core/content.ts";
import type { ContentAmount } from "../../core/content_changes.ts";
import type { PartTable } from "./part_table.ts";

/** Where content is. */
export interface ContentPlace {
  readonly size: number;
  readonly crc32: number;
  /** Small content itself. */
  readonly bytes: Chunk | undefined;
  /** The object that holds the content; undefined for content in a file or in the database. */
  readonly object: string | undefined;
}

/** Content in an object. */
export interface ObjectContent {
  readonly hash: string;
  readonly object: string;
  readonly size: number;
}

/** An object that is to be deleted. */
export interface DueObject {
  readonly key: string;
  /** Whether it was deleted before. */
  readonly again: boolean;
  /** Whether it is known that no upload of it is unfinished. */
  readonly isWhole: boolean;
}

/**
 * What the database knows of the objects of a content store (C 23). An object has a row from before its
 * first byte is sent until it has been deleted for good: it is _arriving_, content, a part of an upload, in
 * quarantine, or _leaving_. Changes of content are part of write transactions (`ContentChanges`).
 */
export interface ObjectTable {
  readonly parts: PartTable;
  /** Notes that an object is arriving, durably. */
  arrive(key: string): Promise<void>;
  /** Arriving objects are leaving now, unless they are content or wait for a commit. */
  giveUp(keys: readonly string[]): Promise<void>;
  /**
   * The same for the objects of servers that have ended, and what nothing waits for any more. With an
   * embedded database, those are from before this process: only the first call does anything.
   */
  expire(): Promise<void>;
  /** Has an arriving object wait for a commit, durably. */
  wait(key: string, id: string): Promise<void>;
  /** Keeps small content that waits for a commit, durably. */
  keep(id: string, bytes: Chunk): Promise<void>;
  /** What waits with the id: the name of an object, or small content itself. */
  waiting(id: string): Promise<string | Chunk | undefined>;
  /** Nothing waits with the id any more. */
  endWait(id: string): Promise<void>;
  /**
   * Some objects that are to be deleted now. Other calls do not return them again for as long as their
   * deletion should take.
   */
  due(now: number, limit: number): Promise<DueObject[]>;
  /**
   * Notes that objects were deleted. They are forgotten if it was for the second time; otherwise they are
   * due again at a time.
   */
  deleted(objects: readonly Omit<DueObject, "isWhole">[], due: number): Promise<void>;

  /** Where content is; undefined if it is not stored. */
  place(hash: string): Promise<ContentPlace | undefined>;
  /** The sizes of the small ones of the contents. */
  sizesOf(hashes: readonly string[]): Promise<Map<string, number>>;
  /** The small ones of the contents. Ask for a few megabytes at most. */
  bytesOfAll(hashes: readonly string[]): Promise<Map<string, Chunk>>;
  /** The hashes with a prefix of the contents that are stored. */
  hashesBelow(prefix: string): Promise<string[]>;
  /** The contents in objects whose names begin with a prefix. */
  contentsIn(prefix: string): Promise<ObjectContent[]>;
  /** Whether a record has content that is in a file. */
  hasFiles(): Promise<boolean>;
  /** Whether there are objects. */
  hasObjects(): Promise<boolean>;
  /** The id of the strongroom. */
  strongroomId(): Promise<string>;

  /** Some hashes in quarantine after a hash, in order. */
  quarantined(after: string, limit: number): Promise<string[]>;
  /** Moves contents back that are in quarantine and not stored. */
  giveBack(hashes: readonly string[]): Promise<ContentAmount>;
  /** Removes what was taken before a time. */
  removeQuarantined(before: number): Promise<ContentAmount>;
}
