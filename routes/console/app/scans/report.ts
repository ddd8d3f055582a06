import type { Issue, Severity } from "../../../../schemas/report/findings.ts";
import type { Report } from "../../../../schemas/report/report.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { request } from "../shared/api.ts";
import { placeIn, SEVERITIES, type ShownFinding } from "./finding.ts";

/** The largest report that is shown: 64 MiB. It can be downloaded in any case. */
const MAX_REPORT_BYTES = 64 * 2 ** 20;

/** A finding of a file in a report. */
export interface FileFinding extends ShownFinding {
  /** The file that it is in. */
  readonly path: string;
}

/** A report as it is shown. */
export interface ShownReport {
  /** What the server sent, to be downloaded as it is. */
  readonly source: Blob;
  /** Undefined if the report is too large to show. */
  readonly content: ReportContent | undefined;
}

export interface ReportContent {
  /** Worst first, then by path. */
  readonly findings: readonly FileFinding[];
  /** What the findings of files amount to, where that is a concern. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** The files without findings. */
  readonly quiet: readonly string[];
  readonly files: number;
  readonly checks: { readonly passed: number; readonly total: number };
  /** Seconds. */
  readonly duration: number;
}

/** The verdicts that findings lead to (C 18). */
const VERDICTS: Readonly<Partial<Record<Severity, Verdict>>> = {
  critical: "dangerous",
  warning: "suspicious",
};

/** Requests the report of a scan. @throws {ApiError} */
export async function loadReport(id: number, signal: AbortSignal): Promise<ShownReport> {
  const response = await request("GET", `/scans/${id}/report`, { signal });
  const source = await response.blob();
  if (source.size > MAX_REPORT_BYTES) return { source, content: undefined };
  return { source, content: contentOf(JSON.parse(await source.text())) };
}

function contentOf(report: Report): ReportContent {
  const paths = new Set(report.assets.map(({ path }) => path));
  for (const path of Object.keys(report.file_metadata)) paths.add(path);
  const findings = report.issues.map((issue) => findingOf(issue, paths)).sort(byConcern);
  const withFindings = new Set(findings.map(({ path }) => path));
  const verdicts = new Map<string, Verdict>();
  for (const { path, severity } of findings) {
    const verdict = VERDICTS[severity];
    // The worst comes first.
    if (verdict !== undefined && !verdicts.has(path)) verdicts.set(path, verdict);
  }
  return {
    findings,
    verdicts,
    quiet: [...paths].filter((path) => !withFindings.has(path)).sort(),
    files: report.files_scanned,
    checks: { passed: report.passed_checks, total: report.total_checks },
    duration: report.duration,
  };
}

function findingOf(issue: Issue, paths: ReadonlySet<string>): FileFinding {
  const { message, severity, location, details, why, rule_code: code } = issue;
  const { path, place } = placeOf(location ?? "", paths);
  return {
    path,
    place,
    message,
    severity: severity ?? "warning",
    rule_code: code ?? null,
    ...(why !== null && { why }),
    evidence: Object.entries(details ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  };
}

/** The file of a location, and where in it: `a.zip:member (pos 3)` is `member (pos 3)` in `a.zip`. */
function placeOf(
  location: string,
  paths: ReadonlySet<string>,
): { readonly path: string; readonly place: string } {
  // A path may contain what separates it from the rest: the longest that is a file counts.
  for (let end = location.length; end > 0; end--) {
    const next = location[end];
    const isEnd = next === undefined || next === ":" || (next === " " && location[end + 1] === "(");
    const path = isEnd ? location.slice(0, end) : "";
    if (isEnd && paths.has(path)) {
      return { path, place: placeIn(location.slice(end)) };
    }
  }
  return { path: location, place: "" };
}

function rank(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function byConcern(a: FileFinding, b: FileFinding): number {
  return rank(a.severity) - rank(b.severity) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** Which findings are shown. */
export interface Filter {
  readonly severities: ReadonlySet<Severity>;
  /** A rule code, or empty for all. */
  readonly rule: string;
  /** A part of paths. */
  readonly words: string;
}

/** The findings that a filter lets through, by file, the file with the worst one first. */
export function grouped(
  findings: readonly FileFinding[],
  { severities, rule, words }: Filter,
): readonly (readonly [path: string, findings: readonly FileFinding[]])[] {
  const sought = words.trim().toLowerCase();
  const groups = new Map<string, FileFinding[]>();
  for (const finding of findings) {
    if (!severities.has(finding.severity)) continue;
    if (rule !== "" && finding.rule_code !== rule) continue;
    if (!finding.path.toLowerCase().includes(sought)) continue;
    const group = groups.get(finding.path);
    if (group === undefined) groups.set(finding.path, [finding]);
    else group.push(finding);
  }
  return [...groups];
}

/** The findings that only one of two reports has, and how many both have. */
export function compared(before: ReportContent, after: ReportContent): {
  readonly added: readonly FileFinding[];
  readonly gone: readonly FileFinding[];
  readonly same: number;
} {
  const keysBefore = new Set(before.findings.map(keyOf));
  const keysAfter = new Set(after.findings.map(keyOf));
  const added = after.findings.filter((finding) => !keysBefore.has(keyOf(finding)));
  return {
    added,
    gone: before.findings.filter((finding) => !keysAfter.has(keyOf(finding))),
    same: after.findings.length - added.length,
  };
}

function keyOf({ path, rule_code: code, severity, message }: FileFinding): string {
  return JSON.stringify([path, code, severity, message]);
}
