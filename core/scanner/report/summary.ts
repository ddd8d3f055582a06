import type { Report } from "../contract/report_types.ts";
import { formatBytes } from "../../../schemas/units.ts";
import { counted } from "./plain_text.ts";
import { SEVERITIES } from "../contract/severity.ts";

/** A report in a sentence or two: what was looked at, what was found, and what was left out. */
export function summaryOf(report: Report): string[] {
  const scanned = `${counted(report.files_scanned, "file")} (${formatBytes(report.bytes_scanned)})`;
  const skipped = report.total_checks - report.passed_checks - report.failed_checks;
  return [
    `${scanned}: ${foundText(report)}; ${counted(report.passed_checks, "check")} passed` +
    (skipped > 0 ? `, ${skipped} skipped (${skippedNames(report)})` : ""),
    ...(report.has_errors ? ["Errors kept the scan from doing all of its work."] : []),
  ];
}

function foundText({ issues }: Report): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = issues.filter((it) => (it.severity ?? "warning") === severity).length;
    if (count === 0) return [];
    return severity === "warning" ? [counted(count, "warning")] : [`${count} ${severity}`];
  });
  return counts.length === 0 ? "nothing found" : counts.join(", ");
}

function skippedNames({ checks }: Report): string {
  const skipped = checks.filter(({ status }) => status === "skipped");
  return [...new Set(skipped.map(({ name }) => name))].join(", ");
}
