import type { Lease } from "../capacity/leases.ts";
import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import { pause } from "../event_loop.ts";
import type { Log } from "../log.ts";
import type { FileResult } from "../scanner/mod.ts";
import { laneOf, type ScanLeases } from "./scan_leases.ts";
import type { ScanTotals } from "./totals.ts";
import {
  type ContentScanner,
  PROGRESS_INTERVAL_BYTES,
  type ResultKey,
  type ScanContentOptions,
  ScanFailure,
  type ScannedContent,
  type ScanStore,
} from "./ports.ts";

/** A file is not tried again after this many attempts that ended with the server. */
const MAX_ATTEMPTS = 2;
const INTERRUPTED = "The server stopped unexpectedly twice while scanning this file";
const REMOVED = "Removed during the scan";

/** What {@link scanContent} works with. */
export interface ContentScanParts {
  readonly scans: ScanStore;
  readonly contents: ContentScanner;
  readonly leases: ScanLeases;
  readonly damage: DamageLog;
  readonly totals: ScanTotals;
  readonly log: Log;
}

/** Content to scan. */
export interface ContentToScan {
  readonly key: ResultKey;
  readonly size: number;
  readonly signal: AbortSignal;
  /** @default one that it waits for */
  readonly lease?: Lease;
  /** Receives the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Scans content for its user under a lease. Counts the attempt, so that content that ends the server is
 * not tried forever. Returns undefined if another server is scanning it.
 *
 * A result of the same content of another user is reused, but takes the time of its scan under a lease
 * as well, with the same progress, so that nobody learns what others have (C 31).
 *
 * @throws {ScanFailure} when the content cannot be scanned completely, or is damaged.
 * @throws the signal's reason when it aborts.
 */
export async function scanContent(
  { scans, contents, leases, damage, totals }: ContentScanParts,
  content: ContentToScan,
): Promise<ScannedContent | undefined> {
  const { key, size, signal } = content;
  using lease = content.lease ?? await leases.acquire(laneOf(size), signal);
  const begin = await scans.beginAttempt(key, MAX_ATTEMPTS);
  if (begin === "elsewhere") return undefined;
  if (begin === "exhausted") {
    totals.addFailure();
    throw new ScanFailure(INTERRUPTED);
  }
  try {
    signal.throwIfAborted();
    const { isHeld, former, sha256 } = await scans.prospectOf(key);
    if (!isHeld) throw new ScanFailure(REMOVED);
    if (former !== undefined) return await reuse(former, content);
    const { memoryLimitMB } = lease;
    const needsMd5 = sha256 === undefined;
    const { result: found, pace } = await scanNow(contents, content, { memoryLimitMB, needsMd5 });
    const scanned = { result: verified(found, key.hash, sha256, damage), pace };
    totals.addFile(scanned.result, { size, seconds: scanned.pace.tookMs / 1000 });
    return scanned;
  } catch (error) {
    if (error instanceof ScanFailure) totals.addFailure();
    await (signal.aborted ? scans.withdrawAttempt(key) : scans.endAttempt(key));
    throw error;
  }
}

async function scanNow(
  contents: ContentScanner,
  { key, signal, onProgress }: ContentToScan,
  options: Pick<ScanContentOptions, "memoryLimitMB" | "needsMd5">,
): Promise<ScannedContent> {
  const started = performance.now();
  let readMs = 0;
  const result = await contents.scan(key, {
    ...options,
    userId: key.userId,
    skip: key.skip,
    signal,
    onProgress(bytes) {
      readMs = performance.now() - started;
      onProgress?.(bytes);
    },
  });
  return { result, pace: { tookMs: performance.now() - started, readMs } };
}

/** The result of a former scan, after the time that it took, as one of now. */
async function reuse(
  { result, pace }: ScannedContent,
  { size, signal, onProgress }: ContentToScan,
): Promise<ScannedContent> {
  const started = performance.now();
  const timestamp = Date.now() / 1000;
  const steps = Math.floor(size / PROGRESS_INTERVAL_BYTES);
  for (let step = 1; step <= steps; step++) {
    await pause(started + pace.readMs * step / steps - performance.now(), signal);
    onProgress?.(step * PROGRESS_INTERVAL_BYTES);
  }
  await pause(started + pace.tookMs - performance.now(), signal);
  const later = timestamp - result.timestamp;
  const checks = result.checks.map((it) => ({ ...it, timestamp: it.timestamp + later }));
  return { result: { ...result, timestamp, checks }, pace };
}

/**
 * The result, unless it is of bytes that are not those that were stored (C 5.3). Of large content, the SHA-256
 * tells, if it was known before: MD5, which takes three times as long, need not be computed again.
 */
function verified(
  result: FileResult,
  md5: string,
  sha256: string | undefined,
  damage: DamageLog,
): FileResult {
  const { hashes } = result;
  const [name, stored, found] = hashes.md5 === undefined && sha256 !== undefined
    ? ["SHA-256", sha256, hashes.sha256]
    : ["MD5", md5, hashes.md5];
  if (found === stored) return { ...result, hashes: { md5, ...hashes } };
  const error = new DamagedContent(md5, `${name} ${stored}`, `${name} ${found}`);
  damage.report(error);
  throw new ScanFailure("Content damaged", { cause: error });
}

/** Logs why content could not be scanned. */
export function logFailure(log: Log, hash: string, { message, cause }: ScanFailure): void {
  const problem = `${message}${cause === undefined ? "" : `: ${cause}`}`;
  log.warn("Cannot scan a file", { hash, problem });
}
