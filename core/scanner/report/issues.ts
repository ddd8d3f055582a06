import type { Issue } from "../../../schemas/report/report.ts";
import type { FileCheck } from "../contract/file_result.ts";
import { severityOf } from "../contract/severity.ts";
import { detailsOf, whyOf } from "./consolidate.ts";

/** Returns the issues of one file: one per failed check, with the same content (C 16). */
export function issuesOf(path: string, checks: readonly FileCheck[]): Issue[] {
  return uniqueIssues(
    checks.filter(({ status }) => status === "failed").map((it) => issueOf(path, it)),
  );
}

/** The rule of an issue, or its type if it has none. */
export function ruleIdOf({ rule_code, type }: Issue): string {
  return rule_code ?? type ?? "check";
}

/** Drops issues that repeat the message, severity and location of an earlier one. */
export function uniqueIssues(issues: readonly Issue[]): Issue[] {
  const byIdentity = new Map<string, Issue>();
  for (const issue of issues) {
    const identity = JSON.stringify([issue.message, issue.severity, issue.location]);
    if (!byIdentity.has(identity)) byIdentity.set(identity, issue);
  }
  return [...byIdentity.values()];
}

function issueOf(path: string, check: FileCheck): Issue {
  const why = whyOf(check);
  return {
    message: check.message,
    severity: severityOf(check),
    location: path + check.location,
    ...detailsOf(check),
    ...(why !== undefined && { why }),
    timestamp: check.timestamp,
    type: `${check.scanner}_check`,
    ...(check.ruleCode !== undefined && { rule_code: check.ruleCode }),
  };
}
