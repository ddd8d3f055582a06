import type { FileMetadata, Issue } from "../../../schemas/report/report.ts";
import { ruleGroupOf } from "../contract/rule_group.ts";
import { type Rule, ruleOf } from "../contract/rules.ts";
import { compareSeverity, isFinding, type Severity, severityOf } from "../contract/severity.ts";
import { exitCode, type ExitCodeOptions } from "./exit_code.ts";
import { ruleIdOf } from "./issues.ts";
import { type KnownPaths, locationOf } from "./location.ts";
import { describeWaiver, type MarkedIssue, type MarkedReport } from "./marks.ts";
import { BASE_ID, BASE_IDS, type UriBase, uriOf } from "./sarif_uri.ts";
import { sha256Of } from "./sha256.ts";

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
  const worst = new Map<string, Severity>();
  noteRules(worst, report.issues);
  const paths = new Set(report.assets.map(({ path }) => path));
  const run = {
    ...runOf(worst, options),
    invocations: [invocationOf(report, exitCode(report, options))],
    artifacts: Array.from(paths, (path) => artifactOf(path, report.file_metadata[path], options)),
    results: report.issues.map(new Results(ruleIdsOf(worst), { paths, ...options }).of),
  };
  return { ...LOG_HEAD, runs: [run] };
}

/** What every log begins with. */
export const LOG_HEAD = {
  $schema: "https://json.schemastore.org/sarif-2.1.0.json",
  version: "2.1.0",
} as const;

/** What a run says of the program, and of the rules that its results refer to. */
export function runOf(
  worst: ReadonlyMap<string, Severity>,
  { version }: Pick<SarifOptions, "version">,
): Record<string, unknown> {
  return {
    tool: {
      driver: {
        name: "strongroom",
        version,
        semanticVersion: version,
        rules: ruleIdsOf(worst).map((id) => descriptorOf(id, worst.get(id) ?? "warning")),
      },
    },
    automationDetails: { id: "strongroom/scan/" },
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: BASE_IDS,
  };
}

/** The rules in the order in which results refer to them. */
export function ruleIdsOf(worst: ReadonlyMap<string, Severity>): string[] {
  return [...worst.keys()].sort();
}

/** Notes the worst severity of the issues of each rule. */
export function noteRules(worst: Map<string, Severity>, issues: readonly Issue[]): void {
  for (const issue of issues) {
    const id = sarifRuleIdOf(issue);
    const severity = severityOf(issue);
    const known = worst.get(id) ?? severity;
    worst.set(id, compareSeverity(severity, known) < 0 ? severity : known);
  }
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

export function invocationOf(
  report: Pick<MarkedReport, "start_time" | "duration" | "has_errors" | "excluded" | "waivers">,
  exitCode: 0 | 1 | 2,
): Record<string, unknown> {
  const start = utc(report.start_time);
  const end = utc(report.start_time + report.duration);
  const notes = notesOf(report);
  return {
    executionSuccessful: !report.has_errors,
    exitCode,
    ...(start !== undefined && { startTimeUtc: start }),
    ...(end !== undefined && { endTimeUtc: end }),
    ...(notes.length > 0 && {
      toolExecutionNotifications: notes.map((text) => ({ level: "note", message: { text } })),
    }),
  };
}

/** What the scan left out, and the waivers that have expired. */
function notesOf(
  { excluded = [], waivers = [] }: Pick<MarkedReport, "excluded" | "waivers">,
): string[] {
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

export function artifactOf(
  path: string,
  metadata: FileMetadata | undefined,
  base: UriBase,
): Record<string, unknown> {
  const { file_size: size, file_hashes: hashes } = metadata ?? {};
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

export interface ResultOptions extends Omit<SarifOptions, "version"> {
  readonly paths: KnownPaths;
  /** Whether the issues of a file come one after the other, so that others need not be remembered. @default false */
  readonly isByFile?: boolean;
}

/** Makes the results of issues, which it counts by their fingerprints. */
export class Results {
  readonly #ruleIds: readonly string[];
  readonly #options: ResultOptions;
  readonly #seen = new Map<string, number>();
  #path: string | undefined;

  constructor(ruleIds: readonly string[], options: ResultOptions) {
    this.#ruleIds = ruleIds;
    this.#options = options;
  }

  /** The result of an issue. */
  readonly of = (issue: MarkedIssue): Record<string, unknown> => {
    const { path } = locationOf(issue.location ?? "", this.#options.paths);
    if (this.#options.isByFile && path !== this.#path) this.#seen.clear();
    this.#path = path;
    const fingerprint = fingerprintOf(issue, this.#options);
    const count = (this.#seen.get(fingerprint) ?? 0) + 1;
    this.#seen.set(fingerprint, count);
    return resultOf(issue, this.#ruleIds, { fingerprint, count }, this.#options);
  };
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
  return sha256Of(identity);
}
