import { printable } from "../../../schemas/printable.ts";
import { formatBytes } from "../../../schemas/units.ts";
import { ruleOf } from "../contract/rules.ts";
import {
  compareSeverity,
  countBySeverity,
  isFinding,
  SEVERITIES,
  type Severity,
  severityOf,
} from "../contract/severity.ts";
import { adviceOf } from "./advice.ts";
import {
  describeWaiver,
  isAccepted,
  isAcceptedFile,
  type MarkedIssue,
  type MarkedReport,
} from "./marks.ts";
import { counted, indented, type Style, styleOf } from "./terminal_text.ts";
import { unknownFiles } from "./unknown_files.ts";

const MAX_LISTED = 20;

export interface ReportTextOptions {
  /** Whether to use terminal colors. @default {false} */
  readonly color?: boolean;
  /** Columns. Words are never split. */
  readonly width: number;
  /** The least severity of a finding that counts. Info is listed only if it counts. @default {"warning"} */
  readonly failOn?: Severity;
}

/** Issues with the same severity, rule, reason and advice. */
interface IssueGroup {
  readonly severity: Severity;
  readonly ruleCode?: string;
  readonly why?: string;
  readonly advice: string;
  readonly issues: readonly MarkedIssue[];
}

/**
 * Formats a report for people: warnings and worse with the reason and the advice, worst first; then
 * the files that were not fully read; those that were not scanned or left out; waivers that do nothing;
 * a one-line summary. What is waived or in the baseline is only counted. Text from files cannot control
 * the terminal.
 */
export function reportText(report: MarkedReport, options: ReportTextOptions): string {
  const { color = false, width, failOn = "warning" } = options;
  const style = styleOf(color);
  const paragraphs = [
    ...groupFindings(report.issues, failOn).map((group) => findingLines(group, style, width)),
    inconclusiveLines(report, width),
    skippedLines(report, width),
    excludedLines(report, width),
    ...waiverLines(report, width),
    summaryOf(report).flatMap((it) => indented(it, "", width)),
  ];
  return paragraphs.filter((it) => it.length > 0).map((it) => `${it.join("\n")}\n`).join("\n");
}

function groupFindings(issues: readonly MarkedIssue[], failOn: Severity): IssueGroup[] {
  const isListed = (issue: MarkedIssue) => {
    const severity = severityOf(issue);
    return !isAccepted(issue) && (isFinding(severity) || compareSeverity(severity, failOn) <= 0);
  };
  const groups = Map.groupBy(
    issues.filter(isListed),
    (issue) => JSON.stringify([severityOf(issue), issue.rule_code, issue.why, adviceOf(issue)]),
  );
  return [...groups.values()].map(groupOf)
    .sort((a, b) => compareSeverity(a.severity, b.severity));
}

function groupOf(issues: readonly MarkedIssue[]): IssueGroup {
  const [first] = issues;
  return {
    severity: severityOf(first ?? {}),
    ...(first?.rule_code && { ruleCode: first.rule_code }),
    ...(first?.why && { why: first.why }),
    advice: adviceOf(first ?? {}),
    issues,
  };
}

function findingLines(group: IssueGroup, style: Style, width: number): string[] {
  const rule = ruleOf(group.ruleCode);
  const title = group.ruleCode === undefined ? [] : [group.ruleCode, ...(rule ? [rule.title] : [])];
  const more = group.issues.length - MAX_LISTED;
  const why = group.why ?? rule?.why;
  const isNew = group.issues.some(({ baseline_state }) => baseline_state === "new");
  const head = [style(group.severity, group.severity.toUpperCase()), ...title.map(printable)];
  return [
    [...head, ...(isNew ? ["(new)"] : [])].join(" "),
    ...group.issues.slice(0, MAX_LISTED).flatMap((issue) => issueLines(issue, width)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(why === undefined ? [] : indented(`Why: ${why}`, "  ", width)),
    ...indented(`What to do: ${group.advice}`, "  ", width),
  ];
}

function issueLines({ location, message }: MarkedIssue, width: number): string[] {
  return [
    ...(location ? [`  ${printable(location)}`] : []),
    ...indented(message, location ? "    " : "  ", width),
  ];
}

function inconclusiveLines(report: MarkedReport, width: number): string[] {
  const files = Object.entries(report.file_metadata)
    .filter(([, it]) => it["scan_outcome"] === "inconclusive" && !isAcceptedFile(it));
  const lines = files.slice(0, MAX_LISTED).flatMap(([path, metadata]) =>
    indented(`${path}${reasonsOf(metadata["scan_outcome_reasons"])}`, "  ", width)
  );
  return listed(`${counted(files.length, "file")} not fully read`, lines, files.length);
}

/** Files that no scanner read, so that "nothing found" is not mistaken for "clean". */
function skippedLines(report: MarkedReport, width: number): string[] {
  const skipped = unknownFiles(report).filter(({ location }) =>
    !isAcceptedFile(report.file_metadata[location ?? ""])
  );
  const lines = skipped.slice(0, MAX_LISTED).flatMap(({ location, message }) =>
    indented(`${location}: ${message.replace("Not scanned: ", "")}`, "  ", width)
  );
  return listed(`${counted(skipped.length, "file")} not scanned`, lines, skipped.length);
}

function excludedLines({ excluded = [] }: MarkedReport, width: number): string[] {
  const lines = excluded.slice(0, MAX_LISTED).flatMap((path) => indented(path, "  ", width));
  return listed(`${counted(excluded.length, "path")} left out`, lines, excluded.length);
}

/** A paragraph for the waivers that have expired, and one for those that waive nothing. */
function waiverLines({ waivers = [] }: MarkedReport, width: number): string[][] {
  return (["expired", "unused"] as const).map((state) => {
    const found = waivers.filter((it) => it.state === state);
    const lines = found.slice(0, MAX_LISTED).flatMap((it) =>
      indented(describeWaiver(it), "  ", width)
    );
    return listed(counted(found.length, `${state} waiver`), lines, found.length);
  });
}

/** The first of `count` lines under a title. Empty if there is nothing to list. */
function listed(title: string, lines: readonly string[], count: number): string[] {
  const more = count > MAX_LISTED ? [`  and ${count - MAX_LISTED} more`] : [];
  return lines.length === 0 ? [] : [title, ...lines, ...more];
}

function reasonsOf(reasons: unknown): string {
  const words = Array.isArray(reasons) ? reasons.filter((it) => typeof it === "string") : [];
  return words.length === 0 ? "" : `: ${words.join(", ").replaceAll("_", " ")}`;
}

/** A line about a report: what was scanned, and what was found. */
export function reportSummary(report: MarkedReport): string {
  return summaryOf(report).map((it) => it.replace(/\.$/, "")).join(". ");
}

/** One or two sentences: what was scanned, what was found, and what was left out. */
function summaryOf(report: MarkedReport): string[] {
  const scanned = `${counted(report.files_scanned, "file")} (${formatBytes(report.bytes_scanned)})`;
  const skipped = report.total_checks - report.passed_checks - report.failed_checks;
  return [
    `${scanned}: ${findingCounts(report)}; ${counted(report.passed_checks, "check")} passed` +
    (skipped > 0 ? `, ${skipped} skipped (${skippedNames(report)})` : ""),
    ...(report.has_errors ? ["Errors prevented a complete scan."] : []),
  ];
}

function findingCounts({ issues }: MarkedReport): string {
  const counts = countBySeverity(issues.filter((issue) => !isAccepted(issue)));
  const waived = issues.filter(({ waiver }) => waiver !== undefined).length;
  const known = issues.filter((it) => isAccepted(it) && it.waiver === undefined).length;
  const shown = SEVERITIES.filter((severity) => counts[severity] > 0).map((severity) =>
    severity === "warning" ? counted(counts[severity], severity) : `${counts[severity]} ${severity}`
  );
  return [
    shown.length === 0 ? "nothing found" : shown.join(", "),
    ...(known > 0 ? [`${known} in the baseline`] : []),
    ...(waived > 0 ? [`${waived} waived`] : []),
  ].join(", ");
}

function skippedNames({ checks }: MarkedReport): string {
  const skipped = checks.filter(({ status }) => status === "skipped");
  return [...new Set(skipped.map(({ name }) => name))].join(", ");
}
