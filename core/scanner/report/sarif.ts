import { createHash } from "node:crypto";
import type { Issue, Report } from "../../../schemas/report/report.ts";
import { ruleGroupOf } from "../contract/rule_group.ts";
import { type Rule, ruleOf } from "../contract/rules.ts";
import { compareSeverity, isFinding, type Severity, severityOf } from "../contract/severity.ts";
import { exitCode, type ExitCodeOptions } from "./exit_code.ts";
import { ruleIdOf } from "./issues.ts";
import { locationOf } from "./location.ts";
import { describeWaiver, type MarkedIssue, type MarkedReport } from "./marks.ts";
import { BASE_ID, BASE_IDS, type UriBase, uriOf } from "./sarif_uri.ts";

/** A log in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0). */
export interface SarifLog {
  readonly $schema: string;
  readonly version: "2.1.0";
  readonly runs: readonly Readonly<Record<string, unknown>>[];
}

export interface SarifOptions extends UriBase, ExitCodeOptions {
  /** The version of this program. */
  readonly version: string;
  /** The line of a byte position in a text file; undefined for binary files. Lines count from 1. */
  readonly lineOf?: (path: string, position: number) => number | undefined;
}

/** Converts a report to SARIF 2.1.0 as code hosting services read it: one run, one result per issue. */
export function reportSarif(report: MarkedReport, options: SarifOptions): SarifLog {
  const { version } = options;
  const worst = worstByRule(report.issues);
  const ruleIds = [...worst.keys()].sort();
  const paths = new Set(report.assets.map(({ path }) => path));
  const run = {
    tool: {
      driver: {
        name: "strongroom",
        version,
        semanticVersion: version,
        rules: ruleIds.map((id) => descriptorOf(id, worst.get(id) ?? "warning")),
      },
    },
    automationDetails: { id: "strongroom/scan/" },
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: BASE_IDS,
    invocations: [invocationOf(report, options)],
    artifacts: Array.from(paths, (path) => artifactOf(path, report, options)),
    results: resultsOf(report.issues, ruleIds, { paths, ...options }),
  };
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [run],
  };
}

/** The worst severity of the issues of each rule. */
function worstByRule(issues: readonly Issue[]): Map<string, Severity> {
  const worst = new Map<string, Severity>();
  for (const issue of issues) {
    const id = sarifRuleIdOf(issue);
    const severity = severityOf(issue);
    const known = worst.get(id) ?? severity;
    worst.set(id, compareSeverity(severity, known) < 0 ? severity : known);
  }
  return worst;
}

/** What follows a rule code for issues that are not findings. */
const INFO_SUFFIX = "/info";

/**
 * The rule of an issue in SARIF. Services give all results of a rule one severity, so what is only worth
 * knowing has rules of its own, which are not about security.
 */
function sarifRuleIdOf(issue: Issue): string {
  const id = ruleIdOf(issue);
  return isFinding(severityOf(issue)) ? id : id + INFO_SUFFIX;
}

/** Scores from 0 to 10 by which services for code sort security findings. */
const SECURITY_SEVERITY: Readonly<Partial<Record<Severity, string>>> = {
  critical: "9.5",
  warning: "6.0",
};

/** What a service shows for a finding that belongs to no rule. */
const CHECK: Rule = {
  title: "Check of a scanner",
  why: "The check of a scanner failed; the message says why.",
  advice: "Read the message, and find out why the file is as it is before you load it.",
};

function descriptorOf(id: string, worst: Severity): Record<string, unknown> {
  const code = id.replace(/\/info$/, "");
  const { title, why, advice } = ruleOf(code) ?? CHECK;
  const group = ruleGroupOf(code);
  const score = SECURITY_SEVERITY[worst];
  return {
    id,
    name: title,
    shortDescription: { text: group === undefined ? title : `${group}: ${title}` },
    fullDescription: { text: why },
    help: { text: `${why} ${advice}`, markdown: `**${title}**\n\n${why}\n\n${advice}` },
    defaultConfiguration: { level: levelOf(worst) },
    properties: {
      tags: [...(score === undefined ? [] : ["security"]), "machine-learning"],
      precision: "high",
      ...(score !== undefined && { "security-severity": score }),
    },
  };
}

function invocationOf(report: MarkedReport, options: ExitCodeOptions): Record<string, unknown> {
  const start = utc(report.start_time);
  const end = utc(report.start_time + report.duration);
  const notes = notesOf(report);
  return {
    executionSuccessful: !report.has_errors,
    exitCode: exitCode(report, options),
    ...(start !== undefined && { startTimeUtc: start }),
    ...(end !== undefined && { endTimeUtc: end }),
    ...(notes.length > 0 && {
      toolExecutionNotifications: notes.map((text) => ({ level: "note", message: { text } })),
    }),
  };
}

/** What the scan left out, and the waivers that have expired. */
function notesOf({ excluded = [], waivers = [] }: MarkedReport): string[] {
  return [
    ...excluded.map((path) => `Not scanned: ${path} is excluded`),
    ...waivers.filter(({ state }) => state === "expired").map((it) =>
      `Expired waiver: ${describeWaiver(it)}`
    ),
  ];
}

/** An ISO 8601 time, or undefined if it is out of range: a report may come from anywhere. */
export function utc(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function artifactOf(
  path: string,
  { file_metadata }: Pick<Report, "file_metadata">,
  base: UriBase,
): Record<string, unknown> {
  const { file_size: size, file_hashes: hashes } = file_metadata[path] ?? {};
  const known = [["md5", hashes?.md5], ["sha-1", hashes?.sha1], ["sha-256", hashes?.sha256], [
    "sha-512",
    hashes?.sha512,
  ]].filter(([, digest]) => digest);
  return {
    location: uriOf(path, base),
    ...(typeof size === "number" && { length: size }),
    ...(known.length > 0 && { hashes: Object.fromEntries(known) }),
  };
}

interface ResultOptions extends Omit<SarifOptions, "version"> {
  readonly paths: ReadonlySet<string>;
}

function resultsOf(
  issues: readonly MarkedIssue[],
  ruleIds: readonly string[],
  options: ResultOptions,
): Record<string, unknown>[] {
  const seen = new Map<string, number>();
  return issues.map((issue) => {
    const fingerprint = fingerprintOf(issue, options);
    const count = (seen.get(fingerprint) ?? 0) + 1;
    seen.set(fingerprint, count);
    return resultOf(issue, ruleIds, { fingerprint, count }, options);
  });
}

function resultOf(
  issue: MarkedIssue,
  ruleIds: readonly string[],
  { fingerprint, count }: { readonly fingerprint: string; readonly count: number },
  options: ResultOptions,
): Record<string, unknown> {
  const ruleId = sarifRuleIdOf(issue);
  const severity = severityOf(issue);
  return {
    ruleId,
    ruleIndex: ruleIds.indexOf(ruleId),
    level: levelOf(severity),
    message: { text: messageOf(issue, options) },
    locations: [sarifLocation(issue.location ?? "", options)],
    partialFingerprints: {
      "ruleMessageLocation/v1": `${fingerprint}:${count}`,
      primaryLocationLineHash: `${fingerprint.slice(0, 16)}:${count}`,
    },
    ...(issue.baseline_state && { baselineState: issue.baseline_state }),
    ...(issue.waiver && {
      suppressions: [
        { kind: "external", status: "accepted", justification: issue.waiver.reason },
      ],
    }),
    properties: {
      severity,
      ...(issue.why && { why: issue.why }),
      ...(issue.details && { details: issue.details }),
    },
  };
}

/** The SARIF level of a severity (SARIF 3.27.10). */
function levelOf(severity: Severity): "error" | "warning" | "note" {
  if (!isFinding(severity)) return "note";
  return severity === "critical" ? "error" : "warning";
}

/**
 * A position within a member is not one within the file, so it stays in the member's name. Services need
 * a file and a line for each result: those of binary files are in line 1, and a result without a file is
 * one of the base.
 */
function sarifLocation(text: string, options: ResultOptions): Record<string, unknown> {
  const { path, member, position } = locationOf(text, options.paths);
  const inFile = member === undefined && position !== undefined;
  const startLine = (inFile ? options.lineOf?.(path, position) : undefined) ?? 1;
  return {
    physicalLocation: {
      artifactLocation: path === "" ? { uri: "./", uriBaseId: BASE_ID } : uriOf(path, options),
      region: { startLine, ...(inFile && { byteOffset: position, byteLength: 0 }) },
    },
    ...(member !== undefined && {
      logicalLocations: [{ kind: "member", name: member, fullyQualifiedName: text }],
    }),
  };
}

/** The message with what services do not show: the member, the position and the reason. */
function messageOf({ message, location, why }: Issue, { paths }: ResultOptions): string {
  const { member, position } = locationOf(location ?? "", paths);
  const where = [
    ...(member === undefined ? [] : [`in ${member}`]),
    ...(position === undefined ? [] : [`at byte ${position}`]),
  ];
  const what = where.length === 0 ? message : `${message} (${where.join(" ")})`;
  return why ? `${what}. ${why}` : what;
}

/** A fingerprint that the same finding in the same file or member has in every scan, wherever it moves. */
function fingerprintOf(issue: Issue, { paths, base }: ResultOptions): string {
  const { path, member = "" } = locationOf(issue.location ?? "", paths);
  const { uri } = uriOf(path, base === undefined ? {} : { base });
  const identity = JSON.stringify([ruleIdOf(issue), issue.message, uri, member]);
  return createHash("sha256").update(identity).digest("hex");
}
