/** What the scan service needs from storage. */

import type { Chunk } from "../content.ts";
import type { CollectedFile } from "../ports.ts";
import type { FileResult, Severity } from "../scanner/mod.ts";
import type { NamedContent } from "../verdicts.ts";
import { MIB } from "../../schemas/units.ts";

/** `queued` and `running` scans are unfinished (C 15). */
export type ScanStatus = "queued" | "running" | "completed" | "failed" | "cancelled";

/** A scan (C 15). Times are milliseconds since the Unix epoch. */
export interface Scan {
  readonly id: number;
  /** Whose files it scans. */
  readonly userId: number;
  /** Who asked for it, and waits in the queue. */
  readonly requestedBy: number;
  readonly status: ScanStatus;
  /** The first of the requested paths, up to 16 KiB of them. A scan may have megabytes. */
  readonly paths: readonly string[];
  /** How many paths were requested. */
  readonly pathsTotal: number;
  /** Ids of the scanners that do not run, sorted. */
  readonly skip: readonly string[];
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly filesTotal: number;
  readonly filesScanned: number;
  readonly bytesTotal: number;
  readonly bytesScanned: number;
  /** The number of issues in the report, by severity. */
  readonly issues: Readonly<Record<Severity, number>>;
  /** Why the scan failed, or what of it could not be scanned; null if all of it was. */
  readonly error: string | null;
}

/** A step of a scan, as its owner's subscribers receive it (C 11). */
export interface ScanEvent {
  readonly type: "scan.queued" | "scan.started" | "scan.progress" | "scan.finished";
  readonly scan: Scan;
}

/** A scan that the store has not assigned an id. */
export type NewScan = Pick<Scan, "userId" | "requestedBy" | "paths" | "skip" | "createdAt">;

/** A file to scan, with the content it had when the scan was requested. */
export interface ScanFile extends Pick<CollectedFile, "userId" | "path" | "hash" | "size"> {
  /** The last segment of the path. */
  readonly name: string;
}

/** The key of a kept result. */
export interface ResultKey extends NamedContent {
  /** Ids of the scanners that do not run, sorted. */
  readonly skip: readonly string[];
}

/** A running scan reports its progress whenever it has read this many bytes more of a file. */
export const PROGRESS_INTERVAL_BYTES = 64 * MIB;

/**
 * A result is reused for other users only if its scan took this long. Scanning other content anew costs
 * little, and takes the very time of a scan.
 */
export const MIN_REUSED_MS = 1000;

/** How long the scan of a content took, in milliseconds. */
export interface ScanPace {
  readonly tookMs: number;
  /** Until its progress was reported last. */
  readonly readMs: number;
}

/** The result of a content, with the pace of its scan. */
export interface ScannedContent {
  readonly result: FileResult;
  readonly pace: ScanPace;
}

/** What is known of content that is about to be scanned. */
export interface ContentProspect {
  /** Whether a file of the user still has it. */
  readonly isHeld: boolean;
  /** The SHA-256 that it had when it was stored, in hexadecimal; undefined if it is not known. */
  readonly sha256: string | undefined;
  /** The complete result of a scan for any user that took at least {@link MIN_REUSED_MS}. */
  readonly former: ScannedContent | undefined;
}

/** A page of a list of scans. */
export interface ScanPage {
  readonly limit: number;
  /** Only scans with a lower id. */
  readonly before?: number | undefined;
}

/**
 * How an attempt to scan a content began: `exhausted` if too many have not ended, as their servers died, and
 * `elsewhere` if another server is scanning it, or has done so.
 */
export type AttemptBegin = "begun" | "exhausted" | "elsewhere";

/** The scans of all users, their files and results. */
export interface ScanStore {
  /** Adds a queued scan with all its files, atomically. */
  create(scan: NewScan, files: AsyncIterable<readonly ScanFile[]>): Promise<Scan>;
  find(id: number): Promise<Scan | undefined>;
  /** All requested paths of a scan. */
  paths(scan: Scan): Promise<readonly string[]>;
  /** The scans of a user, newest first: fewer than the limit if their shown paths are long together. */
  list(userId: number, page: ScanPage): Promise<Scan[]>;
  /** Marks all unfinished scans as queued and returns them, oldest first. Call while none runs. */
  requeue(): Promise<Scan[]>;
  start(id: number, now: number): Promise<void>;
  /** The files of an unfinished scan by path, in batches. */
  files(id: number): AsyncIterable<readonly ScanFile[]>;
  /** Whether the content was scanned for its user. */
  hasResult(key: ResultKey): Promise<boolean>;
  /** What is known of content that is about to be scanned for its user. */
  prospectOf(key: ResultKey): Promise<ContentProspect>;
  /**
   * Counts an attempt to scan a content, which lasts until {@link ScanStore.endAttempt} or
   * {@link ScanStore.withdrawAttempt}, unless `max` attempts have not ended.
   */
  beginAttempt(key: ResultKey, max: number): Promise<AttemptBegin>;
  /** Forgets the attempts to scan a content, as one has ended. */
  endAttempt(key: ResultKey): Promise<void>;
  /** Forgets the latest attempt, which was interrupted on purpose. */
  withdrawAttempt(key: ResultKey): Promise<void>;
  /**
   * Keeps the result of a file and ends the attempt. Returns false, and keeps nothing, if its content
   * has been replaced since.
   *
   * @param pace Left out if the result must not be reused for others.
   */
  keepResult(
    id: number,
    path: string,
    key: ResultKey,
    result: FileResult,
    pace?: ScanPace,
  ): Promise<boolean>;
  /**
   * Keeps the result of stored content that no scan has asked for, and ends the attempt. Returns
   * false, and keeps nothing, if other content has its hash by now.
   */
  keepContentResult(key: ResultKey, result: FileResult, pace?: ScanPace): Promise<boolean>;
  /**
   * Records why stored content cannot be scanned, until the next start. Returns false if there is no
   * such content.
   */
  failContent(content: NamedContent, problem: string): Promise<boolean>;
  /** Records why a file cannot be scanned. Returns false if its content has been replaced since. */
  failFile(id: number, path: string, error: string): Promise<boolean>;
  /**
   * Builds the report from the results of the files. Returns the scan: completed, or failed if no file
   * could be scanned.
   *
   * @throws {ScanFailure} when the results are too large for one report.
   * @throws the signal's reason when it aborts first.
   */
  complete(id: number, now: number, signal: AbortSignal): Promise<Scan>;
  /** Ends a scan without a report. Its progress is kept. */
  end(
    scan: ScanProgress,
    status: "failed" | "cancelled",
    now: number,
    error?: string,
  ): Promise<Scan>;
  /** The report document in chunks, or undefined if the scan has none. */
  report(id: number): Promise<AsyncIterable<Chunk> | undefined>;

  /** The report as a SARIF log in chunks, or undefined if the scan has none. @param version Of this program. */
  sarif(id: number, version: string): Promise<AsyncIterable<Chunk> | undefined>;
  remove(id: number): Promise<void>;
  /** Removes all scans that ended before a time, with their reports. Returns how many. */
  removeEnded(before: number): Promise<number>;
}

/** How full a queue is. */
export interface QueueCounts {
  /** The scans in it. */
  readonly scans: number;
  /** Those of one user. */
  readonly own: number;
  /** The users who have scans in it. */
  readonly users: number;
}

/** Where scans wait: in this process, or in a database from which other servers take them as well. */
export interface ScanQueue {
  /** Whether no scan waits, as far as this server has seen. */
  readonly isEmpty: boolean;
  counts(userId: number): Promise<QueueCounts>;
  /** Queues the scans that servers left unfinished when they ended. Call it once, at the start. */
  resume(): Promise<void>;
  /** Adds a scan that is stored as queued. */
  add(scan: Scan): void;
  /**
   * Takes the next scan: users take turns, and the scans of one user are in order of arrival.
   *
   * @param running The scans that this server still runs. Others may have queued one of them again.
   */
  take(running: readonly number[]): Promise<Scan | undefined>;
  /**
   * Ends a scan that waits as canceled. Returns undefined if it does not wait.
   *
   * @throws what the store throws; the scan then stays queued.
   */
  cancel(id: number): Promise<Scan | undefined>;
}

/** How far a running scan is. */
export type ScanProgress = Pick<Scan, "id" | "filesScanned" | "bytesScanned">;

/** The servers that take scans from the same queue. */
export interface ScanServers {
  /** How often to look at what others have done, in milliseconds. */
  readonly pollIntervalMs: number;
  /** The same, while no scan waits, and no request for one of others. */
  readonly idlePollIntervalMs: number;
  /**
   * Records the progress of the scans that this server runs, which must be all that it runs or is taking.
   * Returns those that are still its own, by id, and whether each is to be canceled. Queues the scans again
   * that other servers have left.
   */
  exchange(running: readonly ScanProgress[]): Promise<ReadonlyMap<number, { isCanceled: boolean }>>;
  /** The scans with these ids that have ended. */
  ended(ids: readonly number[]): Promise<Scan[]>;
  /** Asks the server that runs a scan to cancel it. Returns false if no server runs it. */
  askToCancel(id: number): Promise<boolean>;
  /** Queues the scans again that this server has left unfinished. */
  leave(): Promise<void>;
}

/** Options of {@link ContentScanner.scan}. */
export interface ScanContentOptions {
  /** Whose scan it is. */
  readonly userId: number;
  /** The hard memory limit of its lease, in MB of 2^20 bytes; 0 for none. */
  readonly memoryLimitMB: number;
  /** Ids of the scanners that must not run. */
  readonly skip: readonly string[];
  /** Whether large content needs MD5, too. @default false */
  readonly needsMd5?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Receives the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/** Scans content in isolation. */
export interface ContentScanner {
  /**
   * Scans one file. Settles when nothing of the scan is left.
   *
   * @throws {ScanFailure} when the content cannot be scanned completely.
   * @throws the signal's reason when it aborts.
   */
  scan(
    content: { readonly hash: string; readonly name: string },
    options: ScanContentOptions,
  ): Promise<FileResult>;
}

/** A file on the disk of the server that still comes in. */
export interface ArrivingFile {
  readonly path: string;
  /** The last segment of the path that it is to have in a tree. */
  readonly name: string;
  /** How many bytes it has in the end. */
  readonly size: number;
}

/** Scans files in isolation while they come in. */
export interface ArrivingScanner {
  /**
   * Scans one file, and waits for what has not come in yet. Otherwise as {@link ContentScanner.scan}.
   *
   * @throws {ScanFailure} when the file cannot be scanned completely.
   * @throws the signal's reason when it aborts.
   */
  scanArriving(file: ArrivingFile, options: ScanContentOptions): Promise<FileResult>;
}

/** A file or a scan failed. The message is shown to the owner. */
export class ScanFailure extends Error {
  override readonly name = "ScanFailure";
}
