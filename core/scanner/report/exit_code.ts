import type { Report } from "../../../schemas/report/report.ts";
import { isFinding, severityOf } from "../contract/severity.ts";

/**
 * Returns the exit code of `strongroom scan` (C 16). The first match applies: 2 if the scan had errors,
 * 1 if it found a warning or worse, 2 if a file was not fully read or no file was scanned, else 0.
 */
export function exitCode(report: Report): 0 | 1 | 2 {
  if (report.has_errors) return 2;
  if (report.issues.some((issue) => isFinding(severityOf(issue)))) return 1;
  const inconclusive = Object.values(report.file_metadata).some((it) =>
    it["scan_outcome"] === "inconclusive"
  );
  return inconclusive || report.files_scanned === 0 ? 2 : 0;
}
