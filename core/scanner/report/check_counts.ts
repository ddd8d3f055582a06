import type { Report, ReportCheck } from "../contract/report_types.ts";
import { isFinding } from "../contract/severity.ts";

/**
 * How many checks there are (C 16). Failed ones of severity debug or info are not counted, so that
 * total − passed − failed is the number of those that were skipped.
 */
export function checkCounts(
  checks: readonly ReportCheck[],
): Pick<Report, "total_checks" | "passed_checks" | "failed_checks"> {
  const counted = checks.filter((it) => it.status !== "failed" || isFinding(it.severity));
  const count = (status: ReportCheck["status"]) =>
    counted.filter((it) => it.status === status).length;
  return {
    total_checks: counted.length,
    passed_checks: count("passed"),
    failed_checks: count("failed"),
  };
}
