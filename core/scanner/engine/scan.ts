import { type Checkpoint, withCheckpoint } from "../contract/checkpoint.ts";
import type { FileResult } from "../contract/file_result.ts";
import type { PickleMaxima } from "../contract/limits.ts";
import type { ScanLimits, Scanner } from "../contract/scanner.ts";
import type { ByteSource } from "../contract/source.ts";
import { ChecksummedSource } from "./block_checksums.ts";
import { ContentScan } from "./content_scan.ts";
import { detectKind } from "./detect_kind.ts";
import { hashContent } from "./hash_content.ts";

export interface ScanFileOptions {
  readonly source: ByteSource;
  /** The last segment of the file's path. Scanners and the check of the file type use it. */
  readonly name: string;
  /** All scanners. Those that match the content run in this order. */
  readonly scanners: readonly Scanner[];
  readonly limits: ScanLimits;
  /** What the limits of pickles may grow to for a large member. @default `limits` */
  readonly maxima?: PickleMaxima;
  /**
   * Ids of scanners that must not run. The result lists what they would have read, unless they are
   * optional.
   *
   * @default those of the optional scanners
   */
  readonly skip?: readonly string[];
  /** Returns seconds since the Unix epoch. @default {() => Date.now() / 1000} */
  readonly now?: () => number;
  /** Called after each hashed block, before any scanner runs, with the number of bytes so far. */
  readonly onProgress?: (bytesDone: number) => void;
  /** Whether large content needs MD5, too. @default false */
  readonly needsMd5?: boolean | undefined;
  /** May end the scan; what was found so far is kept. @default a function that does nothing */
  readonly checkpoint?: Checkpoint;
}

/**
 * Hashes and scans a file and its members. A scanner that throws becomes a failed check. The result
 * applies to all content with the same bytes and name.
 *
 * @throws whatever `source` throws while the file is hashed, {@link ScanStopped} included, since there
 *   is nothing to report yet.
 */
export function scanFile(options: ScanFileOptions): FileResult {
  const { name, scanners, limits, maxima = limits, now = () => Date.now() / 1000 } = options;
  const { skip = scanners.filter(({ optional }) => optional).map(({ id }) => id) } = options;
  const { checkpoint = () => {} } = options;
  const checked = withCheckpoint(options.source, checkpoint);
  const timestamp = now();
  // Only members of archives have checksums.
  const needsBlocks = detectKind(checked) === "zip";
  const { hashes, blocks } = hashContent(checked, { ...options, needsBlocks });
  const source = new ChecksummedSource(checked, blocks);
  const scan = new ContentScan({ scanners, limits, maxima, skip, now, checkpoint });
  scan.scanFile({ source, name, depth: 0 });
  return { size: source.size, hashes: { ...hashes }, timestamp, ...scan.result() };
}
