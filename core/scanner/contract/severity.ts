import type { Severity } from "./scanner.ts";

/** Severities, the worst first. */
export const SEVERITIES: readonly Severity[] = ["critical", "warning", "info", "debug"];

/** Whether something of this severity counts as found: warnings and what is worse (C 16). */
export function isFinding(severity: Severity | null | undefined): boolean {
  return severity === "critical" || severity === "warning";
}
