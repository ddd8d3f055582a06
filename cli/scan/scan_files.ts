import { ErrToolLeaseWaitTimeout, type LeasePool } from "../../core/capacity/leases.ts";
import { type FileOutcome, type FileResult, MIN_HEAVY_BYTES } from "../../core/scanner/mod.ts";
import { ScanFailure } from "../../core/scans/ports.ts";
import type { Progress } from "../progress_bar.ts";

export interface ReadableTarget {
  readonly path: string;
  readonly size: number;
  /** Where the content of a stream is. @default `path` */
  readonly content?: string;
}

/** A file to scan, or why it cannot be scanned. */
export type ScanTarget =
  | ReadableTarget
  | { readonly path: string; readonly error: string };

export interface ScanFilesOptions {
  readonly leases: LeasePool;
  /** How many files to scan at once, if leases allow it. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /**
   * Scans one file.
   *
   * @throws {ScanFailure} when it cannot be scanned to its end.
   */
  readonly scan: (target: ReadableTarget, options: ScanFileOptions) => Promise<FileResult>;
  readonly onProgress?: (progress: Progress) => void;
}

export interface ScanFileOptions {
  /** The hard memory limit of its lease, in MB of 2^20 bytes; 0 for none. */
  readonly memoryLimitMB: number;
  readonly onProgress: (bytes: number) => void;
}

/** Scans files, each under a lease (C 15). The outcomes are in the order of the files. */
export async function scanFiles(
  targets: readonly ScanTarget[],
  { leases, concurrency, signal, scan, onProgress }: ScanFilesOptions,
): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  const waiting = targets.entries();
  let files = 0;
  let bytes = 0;
  const worker = async () => {
    for (const [index, target] of waiting) {
      let read = 0;
      const report = (total: number) => {
        bytes += total - read;
        read = total;
        onProgress?.({ files, bytes });
      };
      outcomes[index] = "error" in target ? target : await outcomeOf(target, async () => {
        using lease = await leases.acquireToolLeaseWithContext(
          signal,
          target.size >= MIN_HEAVY_BYTES,
          "scan",
        );
        const { memoryLimitMB } = lease;
        return await scan(target, { memoryLimitMB, onProgress: report });
      });
      files++;
      report("error" in target ? 0 : target.size);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return outcomes;
}

async function outcomeOf(
  { path, content }: ReadableTarget,
  work: () => Promise<FileResult>,
): Promise<FileOutcome> {
  try {
    return { path, scan: await work(), ...(content !== undefined && { isStreamed: true }) };
  } catch (error) {
    const isOfFile = error instanceof ScanFailure || error instanceof ErrToolLeaseWaitTimeout;
    if (isOfFile) return { path, error: error.message };
    throw error;
  }
}
