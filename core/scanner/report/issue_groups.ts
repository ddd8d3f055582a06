import type { Issue } from "../contract/report_types.ts";
import type { Severity } from "../contract/scanner.ts";
import { isFinding, SEVERITIES } from "../contract/severity.ts";

/** Issues that have severity, rule and reason in common. */
export interface IssueGroup {
  readonly severity: Severity;
  readonly ruleCode?: string;
  readonly why?: string;
  readonly issues: readonly Issue[];
}

/** Warnings and what is worse, by severity, rule and reason: the worst first. */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const findings = issues.filter(({ severity = "warning" }) => isFinding(severity));
  const groups = Map.groupBy(
    findings,
    ({ severity, rule_code, why }) => JSON.stringify([severity ?? "warning", rule_code, why]),
  );
  return [...groups.values()].map(groupOf)
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function groupOf(issues: readonly Issue[]): IssueGroup {
  const [first] = issues;
  return {
    severity: first?.severity ?? "warning",
    ...(first?.rule_code && { ruleCode: first.rule_code }),
    ...(first?.why && { why: first.why }),
    issues,
  };
}
