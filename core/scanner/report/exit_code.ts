import type { FileMetadata, Report } from "../../../schemas/report/report.ts";
import { isModelName } from "../contract/model_names.ts";
import { compareSeverity, type Severity, severityOf } from "../contract/severity.ts";
import { isAccepted, isAcceptedFile, type MarkedReport } from "./marks.ts";
import { unknownFiles } from "./unknown_files.ts";

export interface ExitCodeOptions {
  /** The least severity of a finding that counts. @default {"warning"} */
  readonly failOn?: Severity;
  /**
   * Which files in unknown formats count as a finding: those with a name that loaders of models open, or
   * all. @default none
   */
  readonly failOnUnknown?: "names" | "all" | undefined;
}

/**
 * Returns the exit code of `strongroom scan` (C 16, C 25). The first match applies: 2 if the scan had
 * errors, 1 if it found something that counts, 2 if a file was not fully read or no file was scanned,
 * else 0. What is waived or in the baseline does not count.
 */
export function exitCode(report: MarkedReport, options: ExitCodeOptions = {}): 0 | 1 | 2 {
  const { failOnUnknown } = options;
  const isCounted = report.issues.some((issue) =>
    !isAccepted(issue) && countsAs(severityOf(issue), options)
  );
  return exitCodeOf(report, {
    hasFound: isCounted || (failOnUnknown !== undefined && hasUnknownFile(report, failOnUnknown)),
    isUnclear: Object.values(report.file_metadata).some(isUnclear),
  });
}

/** Like {@link exitCode}, for a report that was read before. */
export function exitCodeOf(
  report: Pick<Report, "has_errors" | "files_scanned">,
  { hasFound, isUnclear }: { readonly hasFound: boolean; readonly isUnclear: boolean },
): 0 | 1 | 2 {
  if (report.has_errors) return 2;
  if (hasFound) return 1;
  return isUnclear || report.files_scanned === 0 ? 2 : 0;
}

/** Whether an issue with this severity is a finding that counts. */
export function countsAs(severity: Severity, { failOn = "warning" }: ExitCodeOptions): boolean {
  return compareSeverity(severity, failOn) <= 0;
}

/** Whether a file was not fully read, and that counts. */
export function isUnclear(metadata: FileMetadata): boolean {
  return metadata["scan_outcome"] === "inconclusive" && !isAcceptedFile(metadata);
}

/** Whether a file is in an unknown format and not accepted. */
function hasUnknownFile(report: MarkedReport, which: "names" | "all"): boolean {
  return unknownFiles(report).some(({ location }) =>
    (which === "all" || isModelName(location ?? "")) &&
    !isAcceptedFile(report.file_metadata[location ?? ""])
  );
}
