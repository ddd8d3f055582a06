import type { ScannedVerdict } from "../../schemas/verdict_names.ts";
import { type FileResult, judge } from "../scanner/mod.ts";
import type { ScanStatus } from "./ports.ts";

type EndStatus = Exclude<ScanStatus, "queued" | "running">;

/** Counts scans that have ended, and files that were scanned, since the start. */
export class ScanTotals {
  readonly #scans: Record<EndStatus, number> = { completed: 0, failed: 0, cancelled: 0 };
  readonly #files: Record<ScannedVerdict | "failed", number> = {
    clean: 0,
    suspicious: 0,
    dangerous: 0,
    inconclusive: 0,
    unknown: 0,
    failed: 0,
  };
  #bytes = 0;
  #seconds = 0;

  /** By how they ended. */
  get scans(): Readonly<Record<EndStatus, number>> {
    return this.#scans;
  }

  /** By verdict. Those without a result failed. */
  get files(): Readonly<Record<ScannedVerdict | "failed", number>> {
    return this.#files;
  }

  /** The bytes of the files that have a result. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How long scanners worked on these files together, in seconds. */
  get seconds(): number {
    return this.#seconds;
  }

  addScan(status: ScanStatus): void {
    if (status !== "queued" && status !== "running") this.#scans[status]++;
  }

  /** @param seconds How long it took, without the wait for a lease. */
  addFile(result: FileResult, { size, seconds }: { size: number; seconds: number }): void {
    this.#files[judge(result).verdict]++;
    this.#bytes += size;
    this.#seconds += seconds;
  }

  addFailure(): void {
    this.#files.failed++;
  }
}
