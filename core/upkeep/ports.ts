/** What the upkeep of stored content needs from storage. */

import type { BlobStore } from "../blob_store.ts";
import type { ContentAmount, ContentRemoval } from "../content_changes.ts";
import type { ContentFacts, ResourceStore } from "../ports.ts";

export type { ContentAmount };

/** Where records and stored content disagree. */
export interface ContentGap {
  /** Hashes of records that have no content. */
  readonly missing: readonly string[];
  /** Hashes of content that no record has. */
  readonly unreferenced: readonly string[];
}

/** A record, by its owner and path. */
export interface FileName {
  readonly userId: number;
  readonly path: string;
}

/** How many records there are of a kind, and some of them. */
export interface FileNames {
  readonly count: number;
  readonly files: readonly FileName[];
}

/** How far a scrub has come. */
export interface ScrubProgress {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** All content up to this hash has been read; "" at the start. */
  readonly position: string;
}

/** The records, as the upkeep of their content sees them. */
export interface UpkeepStore {
  /** Compares the hashes of all content that begin with `prefix` with those of the records. */
  findGap(prefix: string, hashes: readonly string[]): Promise<ContentGap>;
  /** Returns some of the content that the database knows and no record has. */
  unreferenced(limit: number): Promise<string[]>;
  /** Returns a file for each of the hashes that has one. */
  filesOf(hashes: readonly string[]): Promise<Map<string, FileName & ContentFacts>>;
  /** Returns records that no request can name (C 31), `limit` of them at most. */
  unnameable(limit: number): Promise<FileNames>;
  /** Returns those of the hashes whose loss has not been accepted. */
  newLosses(hashes: readonly string[]): Promise<string[]>;
  /** Stores that the content of these hashes is lost. */
  acceptLosses(hashes: readonly string[]): Promise<void>;
  /** Returns the content that records have after a hash, in the order of hashes. */
  contentsAfter(hash: string, limit: number): Promise<ContentFacts[]>;
  /** Returns content after a hash whose SHA-256 is not known, in the order of hashes. */
  withoutSha256(hash: string, limit: number): Promise<ContentFacts[]>;
  /** Stores SHA-256, in hexadecimal, by the MD5 of their content, unless they are known. */
  saveSha256(digests: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Notes a reading of the clock, in milliseconds since the Unix epoch, and returns the time before which
   * what is over may be forgotten (C 31).
   */
  settledTime(now: number): Promise<number>;
  scrubProgress(): Promise<ScrubProgress>;
  saveScrubProgress(progress: ScrubProgress): Promise<void>;
}

/** What servers that share a database do from time to time, whichever is there. */
export interface SharedUpkeep {
  /**
   * Contents that have lost a record and that no transaction has looked at since, whichever server deleted
   * the record. `WriteTransaction.unreferenced` looks at them.
   */
  dropped(limit: number): Promise<string[]>;
  /** Sums up what other transactions have added to tables that are kept short. */
  tidy(): Promise<void>;
  /** A number that grows with each change by this server. */
  written(): number;
}

/** Content that no record had, kept for some days in case that a record has it again. */
export interface Quarantine {
  /** Moves stored content here. The conditions are those of {@link BlobStore.remove}. */
  take(hashes: readonly string[], transaction: ContentRemoval): Promise<ContentAmount>;
  /** Moves content back that is here and not stored, and returns how much. */
  giveBack(hashes: readonly string[]): Promise<ContentAmount>;
  /** The hashes of all content here, in batches. */
  hashes(): AsyncIterable<readonly string[]>;
  /** Removes what was taken some days before `now`, in milliseconds since the Unix epoch. */
  removeExpired(now: number): Promise<ContentAmount>;
}

export type UpkeepRecords = Pick<ResourceStore, "write"> & { readonly upkeep: UpkeepStore };
export type UpkeepBlobs =
  & Pick<BlobStore, "needsSweep" | "hashes" | "open">
  & { readonly quarantine: Quarantine };
