import type { Chunk } from "../../core/content.ts";
import type { ContentFacts } from "../../core/ports.ts";

/** A value, at once or later. */
export type Eventual<T> = T | Promise<T>;

/** The most rows of a query. */
export const MAX_AUDIT_ROWS = 1000;

/** A record that breaks an invariant of C 5. */
export interface BrokenRecord {
  readonly id: number;
  readonly userId: number;
  readonly path: string;
}

/** Which invariant a record breaks. */
export type BrokenRule = "path" | "name" | "directory" | "file" | "ancestor";

/** What the records of one content state. */
export interface ContentUse extends ContentFacts {
  /** In hexadecimal; undefined if it is not known. */
  readonly sha256: string | undefined;
  /** The oldest record with this content. */
  readonly record: BrokenRecord;
  readonly records: number;
  /** Whether all that the database states of its size and CRC-32 is the same. */
  readonly agree: boolean;
}

/** Small content, which is in the database. */
export interface SmallContent {
  readonly hash: string;
  readonly size: number;
  /** When it was stored, in milliseconds since the Unix epoch. */
  readonly storedAt: number;
}

/** The content that is in a database and not in files. */
export interface SmallContents {
  /** The contents whose hash begins with a prefix. */
  below(prefix: string): Eventual<SmallContent[]>;
  /** Those of the contents that are here. */
  find(hashes: readonly string[]): Eventual<SmallContent[]>;
  /** Returns those of the hashes of which the database has a row, wherever their content is. */
  known(hashes: readonly string[]): Eventual<string[]>;
  bytesOf(hash: string): Eventual<Chunk | undefined>;
  sizeOf(hash: string): Eventual<number | undefined>;
  /** Removes the rows of contents that no record has. */
  remove(hashes: readonly string[]): Promise<void>;
}

/**
 * Finds what is wrong with a database that servers may use meanwhile, and repairs what it can. Each call
 * reads one state of the database.
 * See docs/design/invariants.md.
 */
export interface RecordAudit {
  /** Whether an error of a call says that the engine cannot read what it has stored. */
  isDamage(error: unknown): boolean;
  /** What the engine finds wrong with its own structures, and what of the schema does not hold. */
  damage(): Eventual<string[]>;
  readonly records: Eventual<number>;
  /** The number and size of all contents that records have. */
  readonly totals: Eventual<{ readonly files: number; readonly bytes: number }>;
  /** The records that break a rule, after the record with the id `after`, {@link MAX_AUDIT_ROWS} at most. */
  broken(rule: BrokenRule, after: number): Eventual<BrokenRecord[]>;
  /** Every content that records have and whose hash begins with a prefix. */
  contentsBelow(prefix: string): Eventual<ContentUse[]>;
  /** Those of the contents that records have. */
  contentsOf(hashes: readonly string[]): Eventual<ContentUse[]>;
  /** The users whose tree holds something else than the database has counted, {@link MAX_AUDIT_ROWS} at most. */
  miscounted(): Eventual<number[]>;
  /** Whether the record still has this content. */
  has(record: BrokenRecord, hash: string): Eventual<boolean>;
  /** Returns those of the hashes that no record has. */
  unreferenced(hashes: readonly string[]): Eventual<string[]>;
  /** Returns those of the hashes whose content servers are to remove if no record has it. */
  dropped(hashes: readonly string[]): Eventual<string[]>;

  /** Counts anew what each tree holds. */
  recount(): Eventual<void>;
  /** The path that an index has for each of the records. It may differ from a damaged table's. */
  indexedPaths(records: readonly BrokenRecord[]): Eventual<Map<number, string>>;
  /**
   * Corrects the path of a record if it differs from `path` in one place only: in the path itself, or
   * in the parent and name. Returns whether it did.
   */
  correctPath(record: BrokenRecord, path: string): Eventual<boolean>;
  /** Gives a record another name in its directory. Returns false if another record has it. */
  rename(record: BrokenRecord, name: string): Eventual<boolean>;
  /**
   * Builds all indexes anew from their tables.
   *
   * @throws {Error} when that is left to the engine.
   */
  rebuildIndexes(): Eventual<void>;
  /** Adds the directories above a record that are missing. Returns false if a file is in the way. */
  addAncestors(record: BrokenRecord, now: number): Eventual<boolean>;
  /** Corrects what is stated of a content that was read. */
  correctFacts(facts: ContentFacts): Eventual<void>;
  /** Moves contents that no record has into the table `quarantine`: their objects stay. */
  quarantine(hashes: readonly string[]): Eventual<void>;
}
