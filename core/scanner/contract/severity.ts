import type { Issue, Severity } from "../../../schemas/report/report.ts";

export type { Severity } from "../../../schemas/report/report.ts";

/** Every severity, worst first: the one order of severities. */
export const SEVERITIES: readonly Severity[] = ["critical", "warning", "info", "debug"];

/** Compares severities for sorting, worst first. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

/** Whether a severity counts as a finding: `warning` or worse (C 16). */
export function isFinding(severity: Severity): boolean {
  return compareSeverity(severity, "warning") <= 0;
}

/** The severity of an issue or failed check: `warning` if it states none (SR 2.4). */
export function severityOf({ severity }: { readonly severity?: Severity | null }): Severity {
  return severity ?? "warning";
}

/** The number of issues of each severity, worst first. */
export function countBySeverity(issues: readonly Issue[]): Record<Severity, number> {
  const counts = { critical: 0, warning: 0, info: 0, debug: 0 };
  for (const issue of issues) counts[severityOf(issue)]++;
  return counts;
}
