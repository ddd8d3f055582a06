import type { Scan } from "./ports.ts";

/** A scan that runs. */
export interface Job {
  scan: Scan;
  readonly abort: AbortController;
  readonly admittedAt: number;
  toldAt: number;
  readonly ended: Promise<void>;
  /** How many bytes have been read of each file that is being scanned. */
  readonly reading: Map<string, number>;
}

/** A scan with what has been read of the files that are not through. */
export function progressOf({ scan, reading }: Job): Scan {
  const bytes = reading.values().reduce((sum, read) => sum + read, 0);
  return { ...scan, bytesScanned: scan.bytesScanned + bytes };
}
