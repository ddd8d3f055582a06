import type { ReportCheck } from "../../../schemas/report/report.ts";
import type { FileCheck } from "../contract/file_result.ts";
import { ruleOf } from "../contract/rules.ts";
import { SEVERITIES, severityOf } from "../contract/severity.ts";

/**
 * Merges the checks of one file by name (C 16). A merged check has the severity, reason and rule of
 * the worst, and lists the failed or skipped ones in `details.findings`. If any of them was cut short,
 * the merged check has not passed.
 */
export function consolidate(path: string, checks: readonly FileCheck[]): ReportCheck[] {
  return [...Map.groupBy(checks, ({ name }) => name).values()].map((group) => merged(path, group));
}

/** The reason a check gives. A failed check without one gives that of its rule. */
export function whyOf({ status, why, ruleCode }: FileCheck): string | undefined {
  return status === "failed" ? why ?? ruleOf(ruleCode)?.why : why;
}

/** The details of a check, with the reason it was cut short. */
export function detailsOf({ details, incomplete }: FileCheck): Pick<ReportCheck, "details"> {
  const all = { ...details, ...(incomplete !== undefined && { incomplete: [incomplete] }) };
  return Object.keys(all).length === 0 ? {} : { details: all };
}

function merged(path: string, group: readonly FileCheck[]): ReportCheck {
  const byRank = group.toSorted((a, b) => rankOf(a) - rankOf(b));
  const [worst] = byRank;
  if (worst === undefined) throw new Error("Cannot merge an empty group of checks");
  const sameStatus = byRank.filter((it) => it.status === worst.status);
  const why = sameStatus.map(whyOf).find((it) => it !== undefined);
  const ruleCode = byRank.find((it) => it.ruleCode !== undefined)?.ruleCode;
  return {
    name: worst.name,
    status: worst.status,
    message: messageOf(worst, sameStatus),
    severity: worst.status === "failed" ? severityOf(worst) : null,
    location: path + (common(group.map((it) => it.location)) ?? ""),
    ...(group.length === 1
      ? detailsOf(worst)
      : { details: mergedDetails(path, group, sameStatus) }),
    ...(why !== undefined && { why }),
    ...(ruleCode !== undefined && { rule_code: ruleCode }),
    timestamp: group.reduce((latest, it) => Math.max(latest, it.timestamp), worst.timestamp),
  };
}

/** The rank of a check among those of its name; the lowest represents the group. */
function rankOf(check: FileCheck): number {
  if (check.status === "failed") return SEVERITIES.indexOf(severityOf(check));
  if (check.status === "skipped") {
    return SEVERITIES.length + (check.incomplete === undefined ? 2 : 0);
  }
  return SEVERITIES.length + 1;
}

function messageOf({ name, status }: FileCheck, sameStatus: readonly FileCheck[]): string {
  const message = common(sameStatus.map((it) => it.message));
  if (message !== undefined) return message;
  switch (status) {
    case "failed":
      return `${name} found ${sameStatus.length} issues`;
    case "passed":
      return `${name} completed successfully`;
    case "skipped":
      return `${name} was skipped`;
  }
}

function mergedDetails(
  path: string,
  group: readonly FileCheck[],
  sameStatus: readonly FileCheck[],
): Record<string, unknown> {
  const findings = sameStatus.filter(({ status }) => status !== "passed");
  const incomplete = new Set(group.flatMap((it) => it.incomplete ?? []));
  return {
    component_count: group.length,
    ...(findings.length > 0 && { findings: findings.map((it) => findingOf(path, it)) }),
    ...(incomplete.size > 0 && { incomplete: [...incomplete] }),
  };
}

function findingOf(path: string, check: FileCheck): Record<string, unknown> {
  const { message, severity, location, ruleCode } = check;
  return {
    message,
    ...(severity && { severity }),
    location: path + location,
    ...(ruleCode !== undefined && { rule_code: ruleCode }),
    ...detailsOf(check),
  };
}

/** The value that all have in common, or undefined if they differ. */
function common(values: readonly string[]): string | undefined {
  return values.every((it) => it === values[0]) ? values[0] : undefined;
}
