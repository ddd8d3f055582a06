/**
 * The scanner: reports what is dangerous in a model file, without loading it. It reads bytes through a
 * `ByteSource` and depends on no runtime, server or store. scan.ts scans; this module has the rest: reports,
 * verdicts, rules and what scanners there are.
 * @module
 */

import type { Report } from "../../schemas/report/report.ts";
import { CATALOG } from "./formats/catalog.ts";
import { reportOf, type ReportOptions } from "./report/report.ts";
import { ReportStream, type ReportStreamOptions } from "./report/report_stream.ts";

export type { Report } from "../../schemas/report/report.ts";
export type { FileResult } from "./contract/file_result.ts";
export { MIN_HEAVY_BYTES, type ScanMaxima } from "./contract/limits.ts";
export { MODEL_EXTENSIONS } from "./contract/model_names.ts";
export { worstSeverityOf } from "./contract/rule_severity.ts";
export { isRuleCode, type Rule, type RuleCode, RULES } from "./contract/rules.ts";
export { countBySeverity, SEVERITIES, type Severity } from "./contract/severity.ts";
export {
  type ListedTensor,
  MAX_LIST_CHARS,
  parseTensorLine,
  tensorFormatOf,
  type TensorList,
} from "./contract/tensor_list.ts";
export type { Waiver } from "./contract/waiver.ts";
export { CATALOG, UNKNOWN_FORMATS } from "./formats/catalog.ts";
export { accept, type AcceptOptions, expiryOf } from "./report/accept.ts";
export { exitCode, type ExitCodeOptions } from "./report/exit_code.ts";
export { REPORT_FORMATS, reportAs, type ReportFormat } from "./report/format.ts";
export type { MarkedReport } from "./report/marks.ts";
export { reportSummary } from "./report/text.ts";
export { judge, type Judgment } from "./report/judgment.ts";
export type { FileOutcome } from "./report/report.ts";
export { type ReportReader, sarifText } from "./report/sarif_stream.ts";
export {
  elementsText,
  REPORT_PARTS,
  type ReportPart,
  type ReportPiece,
  type ReportStream,
} from "./report/report_stream.ts";
export { SCANNERS_VERSION, TENSORS_VERSION } from "./versions.ts";

/** The ids of all scanners, in the order they run. */
export const SCANNER_IDS: readonly string[] = Object.keys(CATALOG);

/** The ids of the scanners that run only on request. */
export const OPTIONAL_SCANNER_IDS: readonly string[] = SCANNER_IDS.filter((id) =>
  CATALOG[id]?.optional
);

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
