import type { Report, ReportCheck } from "../../../schemas/report/report.ts";
import { isFinding, severityOf } from "../contract/severity.ts";
import { ruleOf } from "../contract/rules.ts";
import { locationOf } from "./location.ts";

/** Formats a report as JUnit XML: a suite for each file, and a case for each of its checks. */
export function reportJunit(report: Report): string {
  const byPath = checksByPath(report);
  const suites = [...byPath].map(([path, checks]) => suiteOf(path, checks, report));
  const all = [...byPath.values()].flat();
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="strongroom" ${counts(all)} time="${seconds(report.duration)}">`,
    ...suites,
    "</testsuites>",
  ].join("\n");
}

function checksByPath({ checks, assets }: Report): Map<string, ReportCheck[]> {
  const paths = new Set(assets.map(({ path }) => path));
  const byPath = new Map<string, ReportCheck[]>([...paths].map((path) => [path, []]));
  for (const check of checks) {
    const { path } = locationOf(check.location ?? "", paths);
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [check]);
    else known.push(check);
  }
  return byPath;
}

function suiteOf(path: string, checks: readonly ReportCheck[], { start_time }: Report): string {
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

/** What a check is as a test: a failure if it is a finding, an error if the file was not scanned. */
function outcomeOf(check: ReportCheck): "passed" | "failure" | "error" | "skipped" {
  if (check.status === "skipped") return "skipped";
  if (check.name === "File Scan") return "error";
  const isFailure = check.status === "failed" && isFinding(severityOf(check));
  if (isFailure) return "failure";
  // An informative check that was cut short has not passed.
  return check.details?.["incomplete"] === undefined ? "passed" : "skipped";
}

function counts(checks: readonly ReportCheck[]): string {
  const outcomes = checks.map(outcomeOf);
  const count = (outcome: string) => outcomes.filter((it) => it === outcome).length;
  return `tests="${checks.length}" failures="${count("failure")}" errors="${count("error")}" ` +
    `skipped="${count("skipped")}"`;
}

function caseOf(path: string, check: ReportCheck): string {
  const head = `    <testcase name="${xml(check.name)}" classname="${xml(path)}" time="0"`;
  const outcome = outcomeOf(check);
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
  const { location, why, details, rule_code } = check;
  const findings = Array.isArray(details?.["findings"]) ? details["findings"] : [];
  const advice = ruleOf(rule_code)?.advice;
  return [
    `${severityOf(check)}: ${location ?? ""}`,
    ...findings.map((it) => `${it?.severity ?? ""} ${it?.location ?? ""}: ${it?.message ?? ""}`),
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

/** Escapes a text. Characters that XML 1.0 does not allow, even escaped, become U+FFFD. */
function xml(text: string): string {
  return text.toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (it) => it === "\n" ? it : "\ufffd")
    .replace(/[&<>"\n]/g, (it) => ENTITIES[it] ?? it);
}
