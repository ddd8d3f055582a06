import { groupIssues, type IssueGroup } from "./issue_groups.ts";
import { counted, indented, printable, type Style, styleOf } from "./plain_text.ts";
import { summaryOf } from "./summary.ts";
import type { Issue, Report } from "../contract/report_types.ts";
import { ruleOf } from "../contract/rules.ts";

const LISTED = 20;
const ADVICE = "Do not load the file before you know why this is there.";

export interface ReportTextOptions {
  /** Whether to use the colours of a terminal. @default {false} */
  readonly color?: boolean;
  /** Columns. Words that are longer stay whole. */
  readonly width: number;
}

/**
 * Tells a report to a person: warnings and what is worse, the worst first, each with why it is a
 * danger and what to do; then what was not read through to the end, or not at all; then all in one line. Texts out
 * of files cannot steer a terminal.
 */
export function reportText(report: Report, { color = false, width }: ReportTextOptions): string {
  const style = styleOf(color);
  const paragraphs = [
    ...groupIssues(report.issues).map((group) => findingLines(group, style, width)),
    inconclusiveLines(report, width),
    skippedLines(report, width),
    summaryOf(report).flatMap((it) => indented(it, "", width)),
  ];
  return paragraphs.filter((it) => it.length > 0).map((it) => `${it.join("\n")}\n`).join("\n");
}

function findingLines(group: IssueGroup, style: Style, width: number): string[] {
  const rule = ruleOf(group.ruleCode);
  const title = group.ruleCode === undefined ? [] : [group.ruleCode, ...(rule ? [rule.title] : [])];
  const more = group.issues.length - LISTED;
  const why = group.why ?? rule?.why;
  return [
    [style(group.severity, group.severity.toUpperCase()), ...title.map(printable)].join(" "),
    ...group.issues.slice(0, LISTED).flatMap((issue) => issueLines(issue, width)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(why === undefined ? [] : indented(`Why: ${why}`, "  ", width)),
    ...indented(`What to do: ${rule?.advice ?? ADVICE}`, "  ", width),
  ];
}

function issueLines({ location, message }: Issue, width: number): string[] {
  return [
    ...(location ? [`  ${printable(location)}`] : []),
    ...indented(message, location ? "    " : "  ", width),
  ];
}

function inconclusiveLines(report: Report, width: number): string[] {
  const files = Object.entries(report.file_metadata)
    .filter(([, metadata]) => metadata["scan_outcome"] === "inconclusive");
  const lines = files.slice(0, LISTED).flatMap(([path, metadata]) =>
    indented(`${path}${reasonsOf(metadata["scan_outcome_reasons"])}`, "  ", width)
  );
  return listed(
    `${counted(files.length, "file")} not read through to the end`,
    lines,
    files.length,
  );
}

/** What no scanner looked into: nothing was found there because nothing was sought. */
function skippedLines({ checks }: Report, width: number): string[] {
  const skipped = checks.filter(({ name, status, location, message }) =>
    name === "Known Format" && status === "skipped" && location && !message.endsWith("is empty")
  );
  const lines = skipped.slice(0, LISTED).flatMap(({ location, message }) =>
    indented(`${location}: ${message.replace("Not scanned: ", "")}`, "  ", width)
  );
  return listed(`${counted(skipped.length, "file")} not scanned`, lines, skipped.length);
}

/** The first of so many lines under a title; none where there is nothing to list. */
function listed(title: string, lines: readonly string[], count: number): string[] {
  const more = count > LISTED ? [`  and ${count - LISTED} more`] : [];
  return lines.length === 0 ? [] : [title, ...lines, ...more];
}

function reasonsOf(reasons: unknown): string {
  const words = Array.isArray(reasons) ? reasons.filter((it) => typeof it === "string") : [];
  return words.length === 0 ? "" : `: ${words.join(", ").replaceAll("_", " ")}`;
}
