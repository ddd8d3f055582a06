import type { ReportCheck } from "../../../schemas/report/report.ts";
import { compareSeverity, SEVERITIES, type Severity, severityOf } from "../contract/severity.ts";
import { isObject } from "../../../schemas/json.ts";
import { isUnknownFormat } from "../contract/known_format.ts";
import { ruleOf } from "../contract/rules.ts";
import type { ExitCodeOptions } from "./exit_code.ts";
import { locationOf } from "./location.ts";
import { isAccepted, isAcceptedFile, type MarkedReport } from "./marks.ts";

/**
 * Formats a report as JUnit XML: a suite for each file, and a case for each of its checks. A check whose
 * findings are all waived or in the baseline counts as skipped.
 */
export function reportJunit(report: MarkedReport, options: ExitCodeOptions = {}): string {
  const byPath = checksByPath(report, options);
  const suites = [...byPath].map(([path, checks]) => suiteOf(path, checks, report));
  const all = [...byPath.values()].flat();
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="strongroom" ${counts(all)} time="${seconds(report.duration)}">`,
    ...suites,
    "</testsuites>",
  ].join("\n");
}

/** A check with what it is as a test. */
interface TestCase {
  readonly check: ReportCheck;
  readonly outcome: "passed" | "failure" | "error" | "skipped";
}

function checksByPath(
  report: MarkedReport,
  { failOn = "warning" }: ExitCodeOptions,
): Map<string, TestCase[]> {
  const paths = new Set(report.assets.map(({ path }) => path));
  const byPath = new Map<string, TestCase[]>([...paths].map((path) => [path, []]));
  const accepted = acceptedFindings(report);
  for (const check of report.checks) {
    const { path } = locationOf(check.location ?? "", paths);
    const options = {
      failOn,
      accepted,
      isAcceptedFile: isAcceptedFile(report.file_metadata[path]),
    };
    const test = { check, outcome: outcomeOf(check, options) };
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [test]);
    else known.push(test);
  }
  return byPath;
}

/** The identities of the issues that do not count. */
function acceptedFindings({ issues }: MarkedReport): ReadonlySet<string> {
  return new Set(issues.filter(isAccepted).map(identityOf));
}

function identityOf({ message, severity, location }: Finding): string {
  return JSON.stringify([message, severity ?? "warning", location]);
}

/** What an issue has in common with the findings that a check lists. */
interface Finding {
  readonly message?: unknown;
  readonly severity?: unknown;
  readonly location?: unknown;
}

/** The findings that were merged into a check. */
function findingsOf(check: ReportCheck): readonly Finding[] {
  const { findings } = check.details ?? {};
  return Array.isArray(findings) ? findings.filter(isObject) : [];
}

function suiteOf(path: string, checks: readonly TestCase[], { start_time }: MarkedReport): string {
  const date = new Date(start_time * 1000);
  const time = Number.isNaN(date.getTime())
    ? ""
    : ` timestamp="${date.toISOString().slice(0, 19)}"`;
  const cases = checks.map((check) => caseOf(path, check));
  return [
    `  <testsuite name="${xml(path)}" ${counts(checks)} time="0"${time}>`,
    ...cases,
    "  </testsuite>",
  ].join("\n");
}

interface OutcomeOptions {
  readonly failOn: Severity;
  /** The identities of the issues that do not count. */
  readonly accepted: ReadonlySet<string>;
  /** Whether it is accepted that the file was not read completely. */
  readonly isAcceptedFile: boolean;
}

/**
 * What a check is as a test: a failure if it has findings that count, an error if the file was not
 * read completely.
 */
function outcomeOf(check: ReportCheck, options: OutcomeOptions): TestCase["outcome"] {
  const { failOn, accepted, isAcceptedFile } = options;
  if (check.name === "File Scan") return "error";
  const isCounted = ({ severity }: Finding) =>
    !SEVERITIES.some((it) => it === severity && compareSeverity(it, failOn) > 0);
  const isFinding = check.status === "failed" && isCounted(check);
  if (isFinding) {
    const merged = findingsOf(check);
    const counted = merged.length === 0 ? [check] : merged.filter(isCounted);
    if (!counted.every((it) => accepted.has(identityOf(it)))) return "failure";
  }
  if (check.details?.["incomplete"] !== undefined && !isAcceptedFile) return "error";
  const isSkipped = isFinding || check.status === "skipped" || isUnknownFormat(check);
  return isSkipped ? "skipped" : "passed";
}

function counts(checks: readonly TestCase[]): string {
  const count = (outcome: string) => checks.filter((it) => it.outcome === outcome).length;
  return `tests="${checks.length}" failures="${count("failure")}" errors="${count("error")}" ` +
    `skipped="${count("skipped")}"`;
}

function caseOf(path: string, { check, outcome }: TestCase): string {
  const head = `    <testcase name="${xml(check.name)}" classname="${xml(path)}" time="0"`;
  if (outcome === "passed") return `${head}/>`;
  if (outcome === "skipped") {
    return `${head}><skipped message="${xml(check.message)}"/></testcase>`;
  }
  const type = xml(check.rule_code ?? severityOf(check));
  const text = xml(failureText(check).join("\n"));
  return `${head}><${outcome} message="${xml(check.message)}" type="${type}">${text}</${outcome}>` +
    "</testcase>";
}

/** The severity, the location, the reason and the advice, and each finding of a merged check. */
function failureText(check: ReportCheck): string[] {
  const { location, why, rule_code } = check;
  const advice = ruleOf(rule_code)?.advice;
  return [
    `${severityOf(check)}: ${location ?? ""}`,
    ...findingsOf(check).map(({ severity, location, message }) =>
      `${severity ?? ""} ${location ?? ""}: ${message ?? ""}`
    ),
    ...(why ? [`Why: ${why}`] : []),
    ...(advice === undefined ? [] : [`What to do: ${advice}`]),
  ];
}

function seconds(duration: number): string {
  return duration.toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/**
 * Escapes a text. Characters that XML 1.0 does not allow, even escaped, become U+FFFD. A runner of CI reads no
 * command in it.
 */
function xml(text: string): string {
  return text.toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (it) => it === "\n" ? it : "\ufffd")
    .replace(/[&<>"\n]/g, (it) => ENTITIES[it] ?? it)
    .replace(
      /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?<=#)#|:(?=:)/gu,
      (it) => `&#${it.codePointAt(0)};`,
    );
}
