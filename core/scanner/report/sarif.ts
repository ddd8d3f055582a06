import { createHash } from "node:crypto";
import type { Issue, Report } from "../../../schemas/report/report.ts";
import { ruleOf } from "../contract/rules.ts";
import { isFinding, type Severity, severityOf } from "../contract/severity.ts";
import { exitCode } from "./exit_code.ts";
import { locationOf } from "./location.ts";

/** A log in the Static Analysis Results Interchange Format (OASIS SARIF 2.1.0). */
export interface SarifLog {
  readonly $schema: string;
  readonly version: "2.1.0";
  readonly runs: readonly Readonly<Record<string, unknown>>[];
}

/** Converts a report to SARIF 2.1.0: one run with one result per issue. */
export function reportSarif(report: Report): SarifLog {
  const ruleIds = [...new Set(report.issues.map(ruleIdOf))].sort();
  const paths = new Set(report.assets.map(({ path }) => path));
  const run = {
    tool: { driver: { name: "strongroom", rules: ruleIds.map(descriptorOf) } },
    invocations: [invocationOf(report)],
    artifacts: Array.from(paths, (path) => artifactOf(path, report)),
    results: report.issues.map((issue) => resultOf(issue, ruleIds, paths)),
  };
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [run],
  };
}

function ruleIdOf({ rule_code, type }: Issue): string {
  return rule_code ?? type ?? "check";
}

function descriptorOf(id: string): Record<string, unknown> {
  const rule = ruleOf(id);
  if (rule === undefined) return { id };
  return {
    id,
    shortDescription: { text: rule.title },
    fullDescription: { text: rule.why },
    help: { text: rule.advice },
  };
}

function invocationOf(report: Report): Record<string, unknown> {
  const start = utc(report.start_time);
  const end = utc(report.start_time + report.duration);
  return {
    executionSuccessful: !report.has_errors,
    exitCode: exitCode(report),
    ...(start !== undefined && { startTimeUtc: start }),
    ...(end !== undefined && { endTimeUtc: end }),
  };
}

/** An ISO 8601 time, or undefined if it is out of range: a report may come from anywhere. */
function utc(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function artifactOf(path: string, { file_metadata }: Report): Record<string, unknown> {
  const { file_size: size, file_hashes: hashes } = file_metadata[path] ?? {};
  const known = [["md5", hashes?.md5], ["sha-1", hashes?.sha1], ["sha-256", hashes?.sha256], [
    "sha-512",
    hashes?.sha512,
  ]].filter(([, digest]) => digest);
  return {
    location: { uri: uriOf(path) },
    ...(typeof size === "number" && { length: size }),
    ...(known.length > 0 && { hashes: Object.fromEntries(known) }),
  };
}

function resultOf(
  issue: Issue,
  ruleIds: readonly string[],
  paths: ReadonlySet<string>,
): Record<string, unknown> {
  const ruleId = ruleIdOf(issue);
  const severity = severityOf(issue);
  return {
    ruleId,
    ruleIndex: ruleIds.indexOf(ruleId),
    level: levelOf(severity),
    message: { text: issue.message },
    ...(issue.location && { locations: [sarifLocation(issue.location, paths)] }),
    partialFingerprints: { "ruleMessageLocation/v1": fingerprintOf(issue) },
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

/** A position within a member is not one within the file, so it stays in the member's name. */
function sarifLocation(text: string, paths: ReadonlySet<string>): Record<string, unknown> {
  const { path, member, position } = locationOf(text, paths);
  const inFile = member === undefined && position !== undefined;
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(path) },
      ...(inFile && { region: { byteOffset: position, byteLength: 0 } }),
    },
    ...(member !== undefined && {
      logicalLocations: [{ kind: "member", name: member, fullyQualifiedName: text }],
    }),
  };
}

/** A fingerprint that the same finding at the same location has in every scan. */
function fingerprintOf(issue: Issue): string {
  const identity = JSON.stringify([ruleIdOf(issue), issue.message, issue.location ?? ""]);
  return createHash("sha256").update(identity).digest("hex");
}

/** A path as a relative reference (RFC 3986). */
function uriOf(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
