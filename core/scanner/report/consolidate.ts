import type { FileCheck } from "../contract/file_result.ts";
import type { ReportCheck } from "../contract/report_types.ts";
import { ruleOf } from "../contract/rules.ts";
import { SEVERITIES } from "../contract/severity.ts";

/**
 * The checks of one file as a report tells them: those of one name are one (C 16). The merged check
 * has the severity, reason and rule of the worst, and all that failed, or were skipped, as
 * `details.findings`.
 * A check that could not be carried through is not merged into one that passed.
 */
export function consolidate(path: string, checks: readonly FileCheck[]): ReportCheck[] {
  return [...Map.groupBy(checks, ({ name }) => name).values()].map((group) => merged(path, group));
}

/** Why a failed check is a danger: in its own words, or in those of its rule. */
export function whyOf({ status, why, ruleCode }: FileCheck): string | undefined {
  return status === "failed" ? why ?? ruleOf(ruleCode)?.why : why;
}

/** The details of a check, with why it could not be carried through. */
export function detailsOf({ details, incomplete }: FileCheck): Pick<ReportCheck, "details"> {
  const all = { ...details, ...(incomplete !== undefined && { incomplete: [incomplete] }) };
  return Object.keys(all).length === 0 ? {} : { details: all };
}

function merged(path: string, group: readonly FileCheck[]): ReportCheck {
  const byRank = group.toSorted((a, b) => rankOf(a) - rankOf(b));
  const [worst] = byRank;
  if (worst === undefined) throw new Error("A group of checks is empty");
  const speaking = byRank.filter((it) => it.status === worst.status);
  const why = speaking.map(whyOf).find((it) => it !== undefined);
  const ruleCode = byRank.find((it) => it.ruleCode !== undefined)?.ruleCode;
  return {
    name: worst.name,
    status: worst.status,
    message: messageOf(worst, speaking),
    severity: worst.status === "failed" ? worst.severity ?? "warning" : null,
    location: path + (only(group.map((it) => it.location)) ?? ""),
    ...(group.length === 1 ? detailsOf(worst) : { details: mergedDetails(path, group, speaking) }),
    ...(why !== undefined && { why }),
    ...(ruleCode !== undefined && { rule_code: ruleCode }),
    timestamp: group.reduce((latest, it) => Math.max(latest, it.timestamp), worst.timestamp),
  };
}

/** The order in which checks of one name speak for all of them. */
function rankOf({ status, severity, incomplete }: FileCheck): number {
  if (status === "failed") return SEVERITIES.indexOf(severity ?? "warning");
  if (status === "skipped") return SEVERITIES.length + (incomplete === undefined ? 2 : 0);
  return SEVERITIES.length + 1;
}

function messageOf({ name, status }: FileCheck, speaking: readonly FileCheck[]): string {
  const message = only(speaking.map((it) => it.message));
  if (message !== undefined) return message;
  switch (status) {
    case "failed":
      return `${name} found ${speaking.length} issues`;
    case "passed":
      return `${name} completed successfully`;
    case "skipped":
      return `${name} was skipped`;
  }
}

function mergedDetails(
  path: string,
  group: readonly FileCheck[],
  speaking: readonly FileCheck[],
): Record<string, unknown> {
  const findings = speaking.filter(({ status }) => status !== "passed");
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

/** The one value that all are; undefined where they differ. */
function only(values: readonly string[]): string | undefined {
  return values.every((it) => it === values[0]) ? values[0] : undefined;
}
