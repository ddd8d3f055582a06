import type { LeasePool } from "../capacity/leases.ts";
import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import type { Log } from "../log.ts";
import { type FileResult, MIN_HEAVY_BYTES } from "../scanner/mod.ts";
import type { ScanTotals } from "./totals.ts";
import { type ContentScanner, type ResultKey, ScanFailure, type ScanStore } from "./ports.ts";

/** A file is not tried again after this many attempts that ended with the server. */
const MAX_ATTEMPTS = 2;
const INTERRUPTED = "The server stopped unexpectedly twice while scanning this file";

/** What {@link scanContent} works with. */
export interface ContentScanParts {
  readonly scans: ScanStore;
  readonly contents: ContentScanner;
  readonly leases: LeasePool;
  readonly damage: DamageLog;
  readonly totals: ScanTotals;
  readonly log: Log;
}

/** Content to scan. */
export interface ContentToScan {
  readonly key: ResultKey;
  readonly size: number;
  /** Whose scan it is. */
  readonly userId: number;
  readonly signal: AbortSignal;
  /** Receives the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Scans content under a lease. Counts the attempt, so that content that ends the server is not tried
 * forever. Returns undefined if another server is scanning it.
 *
 * @throws {ScanFailure} when the content cannot be scanned completely, or is damaged.
 * @throws the signal's reason when it aborts.
 */
export async function scanContent(
  { scans, contents, leases, damage, totals }: ContentScanParts,
  { key, size, signal, ...options }: ContentToScan,
): Promise<FileResult | undefined> {
  using lease = await leases.acquireToolLeaseWithContext(
    signal,
    size >= MIN_HEAVY_BYTES,
    "scan",
    undefined,
    0,
  );
  const begin = await scans.beginAttempt(key, MAX_ATTEMPTS);
  if (begin === "elsewhere") return undefined;
  if (begin === "exhausted") {
    totals.addFailure();
    throw new ScanFailure(INTERRUPTED);
  }
  const started = performance.now();
  try {
    signal.throwIfAborted();
    const { memoryLimitMB } = lease;
    const result = await contents.scan(key, { ...options, memoryLimitMB, skip: key.skip, signal });
    verify(key.hash, result, damage);
    totals.addFile(result, { size, seconds: (performance.now() - started) / 1000 });
    return result;
  } catch (error) {
    if (error instanceof ScanFailure) totals.addFailure();
    await (signal.aborted ? scans.withdrawAttempt(key) : scans.endAttempt(key));
    throw error;
  }
}

/** Refuses the result for bytes that are not those that were stored (C 5.3). */
function verify(hash: string, { hashes }: FileResult, damage: DamageLog): void {
  if (hashes.md5 === hash) return;
  const error = new DamagedContent(hash, `MD5 ${hash}`, `MD5 ${hashes.md5}`);
  damage.report(error);
  throw new ScanFailure("Content damaged", { cause: error });
}

/** Logs why content could not be scanned. */
export function logFailure(log: Log, hash: string, { message, cause }: ScanFailure): void {
  const problem = `${message}${cause === undefined ? "" : `: ${cause}`}`;
  log.warn("Cannot scan a file", { hash, problem });
}
