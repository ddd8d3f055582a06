/** What scanning needs from storage. */

import type { Chunk } from "../content.ts";
import type { CollectedFile } from "../ports.ts";
import type { FileResult, Severity } from "../scanner/mod.ts";

/** `queued` and `running` scans are unfinished (C 15). */
export type ScanStatus = "queued" | "running" | "completed" | "failed" | "cancelled";

/** A scan (C 15). Times are milliseconds since the Unix epoch. */
export interface Scan {
  readonly id: number;
  readonly userId: number;
  readonly status: ScanStatus;
  /** What was asked for. */
  readonly paths: readonly string[];
  /** Ids of the scanners that do not run, in order. */
  readonly skip: readonly string[];
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly filesTotal: number;
  readonly filesScanned: number;
  readonly bytesTotal: number;
  readonly bytesScanned: number;
  /** How many issues of each severity the report tells. */
  readonly issues: Readonly<Record<Severity, number>>;
  /** Why it failed. */
  readonly error: string | null;
}

/** A step of a scan, as subscribers of its owner see it (C 11). */
export interface ScanEvent {
  readonly type: "scan.queued" | "scan.started" | "scan.progress" | "scan.finished";
  readonly scan: Scan;
}

/** A scan before the store has given it an id. */
export type NewScan = Pick<Scan, "userId" | "paths" | "skip" | "createdAt">;

/** A file that a scan reads: its content is that of the moment at which the scan was asked for. */
export interface ScanFile extends Pick<CollectedFile, "path" | "hash" | "size"> {
  /** The last segment of the path. */
  readonly name: string;
}

/** What a kept result holds for. */
export interface ResultKey {
  readonly hash: string;
  /** The last segment of the path: scanners go by names, too. */
  readonly name: string;
  readonly skip: readonly string[];
}

export interface ScanPage {
  readonly limit: number;
  /** Only scans with a lower id. */
  readonly before?: number | undefined;
}

/** The scans of all users, what they read and what was found. */
export interface ScanStore {
  /** Adds a queued scan with all its files, or nothing. */
  create(scan: NewScan, files: AsyncIterable<readonly ScanFile[]>): Promise<Scan>;
  find(id: number): Promise<Scan | undefined>;
  /** The scans of a user, newest first. */
  list(userId: number, page: ScanPage): Promise<Scan[]>;
  /** All unfinished scans, oldest first, as queued ones: to be called at the start, when none runs. */
  requeue(): Promise<Scan[]>;
  start(id: number, now: number): Promise<void>;
  /** The files of an unfinished scan in path order, some at a time. */
  files(id: number): AsyncIterable<readonly ScanFile[]>;
  hasResult(key: ResultKey): Promise<boolean>;
  /** Keeps what a scan found in one of its files, unless its content has been replaced meanwhile. */
  keepResult(id: number, path: string, key: ResultKey, result: FileResult): Promise<void>;
  /** Notes why a file could not be scanned. */
  failFile(id: number, path: string, error: string): Promise<void>;
  /**
   * Makes the report of what was found in the files, and returns the completed scan.
   *
   * @throws {ScanFailure} where that is too much for one report.
   * @throws the signal's reason where it aborts before.
   */
  complete(id: number, now: number, signal: AbortSignal): Promise<Scan>;
  /** Ends a scan without a report; how far it came stays told. */
  end(
    scan: Pick<Scan, "id" | "filesScanned" | "bytesScanned">,
    status: "failed" | "cancelled",
    now: number,
    error?: string,
  ): Promise<Scan>;
  /** The report document in pieces; undefined where there is none. */
  report(id: number): Promise<AsyncIterable<Chunk> | undefined>;
  remove(id: number): Promise<void>;
}

export interface ScanContentOptions {
  /** Ids of scanners that are not to run. */
  readonly skip: readonly string[];
  readonly signal: AbortSignal;
  /** Is told how many bytes have been read. */
  readonly onProgress?: (bytes: number) => void;
}

/** Scans content where it can do no harm. */
export interface ContentScanner {
  /**
   * @throws {ScanFailure} where the content can't be scanned to its end.
   * @throws the signal's reason where it aborts.
   */
  scan(
    content: { readonly hash: string; readonly name: string },
    options: ScanContentOptions,
  ): Promise<FileResult>;
}

/** Why a file, or a whole scan, came to no result, for its owner. */
export class ScanFailure extends Error {
  override readonly name = "ScanFailure";
}
