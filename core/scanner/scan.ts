/**
 * Scans files: the door to the formats. Only what scans loads them, as that takes 12 MB of memory and a
 * quarter of a second.
 * @module
 */

import type { Checkpoint } from "./contract/checkpoint.ts";
import type { FileResult } from "./contract/file_result.ts";
import { limitsFor, SCAN_MAXIMA, type ScanMaxima } from "./contract/limits.ts";
import type { ByteSource } from "./contract/source.ts";
import { scanFile } from "./engine/scan.ts";
import { SCANNERS } from "./formats/mod.ts";

export { ScanStopped } from "./contract/checkpoint.ts";
export { SCAN_MAXIMA } from "./contract/limits.ts";
export { PagedSource } from "./contract/paged_source.ts";
export { type ByteSource, memorySource } from "./contract/source.ts";

export interface ScanOptions {
  /** The last segment of the file's path. Scanners use it, too. */
  readonly name: string;
  /**
   * Ids of scanners that must not run. The result lists what they would have read, unless they are
   * optional.
   *
   * @default {OPTIONAL_SCANNER_IDS}
   */
  readonly skip?: readonly string[];
  /** What the limits of a large file may grow to. @default `SCAN_MAXIMA` */
  readonly maxima?: ScanMaxima;
  /** Called after each hashed block with the number of bytes so far. */
  readonly onProgress?: (bytesDone: number) => void;
  /** Whether large content needs MD5, too. @default false */
  readonly needsMd5?: boolean | undefined;
  /** Called often during the scan. Throws {@link ScanStopped} to end it. */
  readonly checkpoint?: Checkpoint;
}

/**
 * Hashes and scans a file and its members (SR, C 15). A scanner that throws becomes a failed check.
 *
 * @throws whatever `source` throws while the file is hashed, {@link ScanStopped} included.
 */
export function scan(source: ByteSource, options: ScanOptions): FileResult {
  const { maxima = SCAN_MAXIMA, ...rest } = options;
  const limits = limitsFor(source.size, maxima);
  return scanFile({ ...rest, source, scanners: SCANNERS, limits, maxima });
}
