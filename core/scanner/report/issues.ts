import type { FileCheck } from "../contract/file_result.ts";
import type { Issue } from "../contract/report_types.ts";
import { detailsOf, whyOf } from "./consolidate.ts";

/** The issues of one file: one for each failed check, of the same content (C 16). */
export function issuesOf(path: string, checks: readonly FileCheck[]): Issue[] {
  return uniqueIssues(
    checks.filter(({ status }) => status === "failed").map((it) => issueOf(path, it)),
  );
}

/** Issues without those that are the same as an earlier one by message, severity and location. */
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
    severity: check.severity ?? "warning",
    location: path + check.location,
    ...detailsOf(check),
    ...(why !== undefined && { why }),
    timestamp: check.timestamp,
    type: `${check.scanner}_check`,
    ...(check.ruleCode !== undefined && { rule_code: check.ruleCode }),
  };
}
