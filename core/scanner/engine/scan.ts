import { type Checkpoint, withCheckpoint } from "../contract/checkpoint.ts";
import type { FileResult } from "../contract/file_result.ts";
import type { ScanLimits, Scanner } from "../contract/scanner.ts";
import type { ByteSource } from "../contract/source.ts";
import { ContentScan } from "./content_scan.ts";
import { hashContent } from "./hash_content.ts";

export interface ScanFileOptions {
  readonly source: ByteSource;
  /** The last segment of the file's path. Scanners and the check of its kind go by it, too. */
  readonly name: string;
  /** All scanners there are; those that claim the content run in this order. */
  readonly scanners: readonly Scanner[];
  readonly limits: ScanLimits;
  /** Ids of scanners that are not to run; what they would have looked at is told. */
  readonly skip?: readonly string[];
  /** The time, in seconds since the Unix epoch. @default {() => Date.now() / 1000} */
  readonly now?: () => number;
  /** Is told how many bytes have been hashed, each MiB, before scanners run. */
  readonly onProgress?: (bytesDone: number) => void;
  /** Ends the scan; what was found until then is told. @default nothing does */
  readonly checkpoint?: Checkpoint;
}

/**
 * Hashes and scans a file, and what it contains. What a scanner throws becomes a failed check; the
 * result holds for all content of the same bytes and name.
 *
 * @throws whatever reading throws while the file is hashed, {@link ScanStopped} too: without that there
 *   is nothing to scan.
 */
export function scanFile(options: ScanFileOptions): FileResult {
  const { name, scanners, limits, skip = [], now = () => Date.now() / 1000 } = options;
  const { checkpoint = () => {} } = options;
  const source = withCheckpoint(options.source, checkpoint);
  const timestamp = now();
  const hashes = { ...hashContent(source, options.onProgress) };
  const scan = new ContentScan({ scanners, limits, skip, now, checkpoint });
  scan.file({ source, name, depth: 0 });
  return { size: source.size, hashes, timestamp, ...scan.result() };
}
