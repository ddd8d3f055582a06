import { createHash } from "node:crypto";
import type { Report, ReportCheck } from "../../../schemas/report/report.ts";
import type { FileResult } from "../contract/file_result.ts";
import { isFinding, severityOf } from "../contract/severity.ts";
import { uniqueIssues } from "./issues.ts";
import { LicenseFiles } from "./license_files.ts";
import { type ReportedFile, scannedFile, unscannedFile, withinTimes } from "./reported_file.ts";

/** A path of a scan with its result, or the reason it was not scanned. */
export type FileOutcome =
  | { readonly path: string; readonly scan: FileResult }
  | { readonly path: string; readonly error: string };

export interface ReportOptions {
  /** One per path. Several paths may share a result. */
  readonly files: readonly FileOutcome[];
  /** Seconds since the Unix epoch. */
  readonly startTime: number;
  /** Seconds. */
  readonly duration: number;
  /** Scanner ids, in any order. Omitted if every scanner ran. */
  readonly selection?: {
    readonly enabled: readonly string[];
    readonly excluded: readonly string[];
  };
}

/** Builds the report of a scan (SR, C 16). All its times are within those of the scan. */
export function reportOf({ files, startTime, duration, selection }: ReportOptions): Report {
  const licenses = new LicenseFiles(files.map(({ path }) => path));
  const times = { start: startTime, end: startTime + duration };
  const reported = files.map((file) =>
    "scan" in file
      ? scannedFile(file.path, withinTimes(file.scan, times), licenses)
      : unscannedFile(file.path, file.error, times.end)
  );
  const scans = reported.flatMap(({ scan }) => scan ?? []);
  const checks = reported.flatMap((it) => it.checks);
  return {
    bytes_scanned: scans.reduce((sum, { size }) => sum + size, 0),
    files_scanned: scans.length,
    ...outcomeOf(reported),
    start_time: startTime,
    duration,
    ...countChecks(checks),
    issues: uniqueIssues(reported.flatMap((it) => it.issues)),
    checks,
    assets: reported.map(({ asset }) => asset),
    scanner_names: [...new Set(scans.flatMap(({ scanners }) => scanners))],
    scanner_selection: selectionOf(selection),
    file_metadata: Object.fromEntries(reported.map(({ path, metadata }) => [path, metadata])),
    content_hash: contentHash(scans.flatMap(({ hashes }) => hashes.sha256 ?? [])),
  };
}

function outcomeOf(files: readonly ReportedFile[]): Pick<Report, "has_errors" | "success"> {
  const hasErrors = files.some(({ scan }) =>
    scan === undefined || scan.operationalError !== undefined
  );
  const unclear = files.some(({ inconclusive, issues }) =>
    inconclusive && !issues.some((issue) => isFinding(severityOf(issue)))
  );
  return { has_errors: hasErrors, success: !hasErrors && !unclear };
}

/**
 * The number of checks (C 16). Failed checks of severity `debug` and `info` are not counted, so
 * total − passed − failed is the number of skipped checks.
 */
function countChecks(
  checks: readonly ReportCheck[],
): Pick<Report, "total_checks" | "passed_checks" | "failed_checks"> {
  const counted = checks.filter((it) => it.status !== "failed" || isFinding(severityOf(it)));
  const count = (status: ReportCheck["status"]) =>
    counted.filter((it) => it.status === status).length;
  return {
    total_checks: counted.length,
    passed_checks: count("passed"),
    failed_checks: count("failed"),
  };
}

/** Which scanners were selected (C 16), each list sorted; null if all of them. */
function selectionOf(selection: ReportOptions["selection"]): Report["scanner_selection"] {
  return selection === undefined ? null : {
    requested_scanner_ids: selection.enabled.toSorted(),
    enabled_scanner_ids: selection.enabled.toSorted(),
    excluded_scanner_ids: selection.excluded.toSorted(),
  };
}

/**
 * One SHA-256 for all scanned content (C 16): of the distinct SHA-256 digests in lower case, sorted
 * and concatenated. It does not depend on paths. Null if there are no digests.
 */
function contentHash(digests: readonly string[]): string | null {
  const distinct = [...new Set(digests.map((it) => it.toLowerCase()))].sort();
  return distinct.length === 0
    ? null
    : createHash("sha256").update(distinct.join("")).digest("hex");
}
