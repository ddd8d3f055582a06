import { isFinding } from "../contract/severity.ts";
import type { Report } from "../contract/report_types.ts";

/**
 * The exit code of `strongroom scan` (C 16), the first that applies: 2 after an error of the scan
 * itself, 1 where something of severity warning or critical was found, 2 where a file was not read
 * through to the end or none was scanned, else 0.
 */
export function exitCode(report: Report): 0 | 1 | 2 {
  if (report.has_errors) return 2;
  if (report.issues.some(({ severity = "warning" }) => isFinding(severity))) return 1;
  const inconclusive = Object.values(report.file_metadata).some((it) =>
    it["scan_outcome"] === "inconclusive"
  );
  return inconclusive || report.files_scanned === 0 ? 2 : 0;
}
