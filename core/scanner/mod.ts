/**
 * The scanner: reports what is dangerous in a model file, without loading it. It reads bytes through a
 * {@link ByteSource} and depends on no runtime, server or store.
 * @module
 */

import type { Report } from "../../schemas/report/report.ts";
import type { Checkpoint } from "./contract/checkpoint.ts";
import type { FileResult } from "./contract/file_result.ts";
import { limitsFor, SCAN_MAXIMA, type ScanMaxima } from "./contract/limits.ts";
import type { ByteSource } from "./contract/source.ts";
import { scanFile } from "./engine/scan.ts";
import { SCANNERS } from "./formats/mod.ts";
import { reportOf, type ReportOptions } from "./report/report.ts";
import { ReportStream, type ReportStreamOptions } from "./report/report_stream.ts";

export type { Report } from "../../schemas/report/report.ts";
export { type Checkpoint, ScanStopped } from "./contract/checkpoint.ts";
export type { FileResult } from "./contract/file_result.ts";
export { MIN_HEAVY_BYTES, type ScanMaxima } from "./contract/limits.ts";
export { worstSeverityOf } from "./contract/rule_severity.ts";
export { isRuleCode, type Rule, type RuleCode, RULES } from "./contract/rules.ts";
export { countBySeverity, SEVERITIES, type Severity } from "./contract/severity.ts";
export { type ByteSource, memorySource } from "./contract/source.ts";
export type { Waiver } from "./contract/waiver.ts";
export { CATALOG, UNKNOWN_FORMATS } from "./formats/catalog.ts";
export { SCANNERS_VERSION } from "./formats/mod.ts";
export { accept, type AcceptOptions, expiryOf } from "./report/accept.ts";
export { exitCode, type ExitCodeOptions } from "./report/exit_code.ts";
export { REPORT_FORMATS, reportAs, type ReportFormat } from "./report/format.ts";
export type { MarkedReport } from "./report/marks.ts";
export { reportSummary } from "./report/text.ts";
export { judge, type Judgment } from "./report/judgment.ts";
export type { FileOutcome } from "./report/report.ts";
export {
  REPORT_PARTS,
  type ReportPart,
  type ReportPiece,
  type ReportStream,
} from "./report/report_stream.ts";

/** The ids of all scanners, in the order they run. */
export const SCANNER_IDS: readonly string[] = SCANNERS.map(({ id }) => id);

/** The ids of the scanners that run only on request. */
export const OPTIONAL_SCANNER_IDS: readonly string[] = SCANNERS.filter(({ optional }) => optional)
  .map(({ id }) => id);

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
  /** Called after each hashed MiB with the number of bytes so far. */
  readonly onProgress?: (bytesDone: number) => void;
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
  return scanFile({ ...rest, source, scanners: SCANNERS, limits, maxOpcodes: maxima.maxOpcodes });
}

export interface ReportRequest extends Omit<ReportOptions, "selection"> {
  /** Ids of the scanners that did not run. */
  readonly skip: readonly string[];
}

/** Builds the report of a scan (SR, C 16). */
export function report({ skip, ...options }: ReportRequest): Report {
  return reportOf({ ...options, ...selectionWithout(skip) });
}

export interface StreamedReportRequest extends Omit<ReportStreamOptions, "selection"> {
  /** Ids of the scanners that did not run. */
  readonly skip: readonly string[];
}

/** Writes the report of a scan file by file (SR, C 16). */
export function streamedReport({ skip, ...options }: StreamedReportRequest): ReportStream {
  return new ReportStream({ ...options, ...selectionWithout(skip) });
}

function selectionWithout(skip: readonly string[]): Pick<ReportOptions, "selection"> {
  if (skip.every((id) => OPTIONAL_SCANNER_IDS.includes(id))) return {};
  const enabled = SCANNER_IDS.filter((id) => !skip.includes(id));
  return { selection: { enabled, excluded: skip } };
}
