import type { FileResult } from "../contract/file_result.ts";
import { checkCounts } from "./check_counts.ts";
import { contentHashOf } from "./content_hash.ts";
import { uniqueIssues } from "./issues.ts";
import { LicenseFiles } from "./license_files.ts";
import { type ReportedFile, scannedFile, unscannedFile } from "./reported_file.ts";
import { isFinding } from "../contract/severity.ts";
import type { Report, ScannerSelection } from "../contract/report_types.ts";

/** A file of a scan: what was found in it, or what kept it from being scanned. */
export type FileOutcome =
  | { readonly path: string; readonly scan: FileResult }
  | { readonly path: string; readonly error: string };

export interface ReportOptions {
  /** One for each path; the same scan may stand at several. */
  readonly files: readonly FileOutcome[];
  /** Seconds since the Unix epoch. */
  readonly startTime: number;
  /** Seconds. */
  readonly duration: number;
  /** Ids of scanners, in any order. Left out where every scanner ran. */
  readonly selection?: {
    readonly requested: readonly string[];
    readonly enabled: readonly string[];
    readonly excluded: readonly string[];
  };
}

/** Tells what a scan has found (SR, C 16). */
export function reportOf({ files, startTime, duration, selection }: ReportOptions): Report {
  const licences = new LicenseFiles(files.map(({ path }) => path));
  const reported = files.map((file) =>
    "scan" in file
      ? scannedFile(file.path, file.scan, licences)
      : unscannedFile(file.path, file.error, startTime + duration)
  );
  const scans = reported.flatMap(({ scan }) => scan ?? []);
  const checks = reported.flatMap((it) => it.checks);
  return {
    bytes_scanned: scans.reduce((sum, { size }) => sum + size, 0),
    files_scanned: scans.length,
    ...outcomeOf(reported),
    start_time: startTime,
    duration,
    ...checkCounts(checks),
    issues: uniqueIssues(reported.flatMap((it) => it.issues)),
    checks,
    assets: reported.map(({ asset }) => asset),
    scanner_names: [...new Set(scans.flatMap(({ scanners }) => scanners))],
    scanner_selection: selectionOf(selection),
    file_metadata: Object.fromEntries(reported.map(({ path, metadata }) => [path, metadata])),
    content_hash: contentHashOf(scans.flatMap(({ hashes }) => hashes.sha256 ?? [])),
  };
}

function outcomeOf(files: readonly ReportedFile[]): Pick<Report, "has_errors" | "success"> {
  const hasErrors = files.some(({ scan }) =>
    scan === undefined || scan.operationalError !== undefined
  );
  const unclear = files.some(({ inconclusive, issues }) =>
    inconclusive && !issues.some(({ severity }) => isFinding(severity))
  );
  return { has_errors: hasErrors, success: !hasErrors && !unclear };
}

function selectionOf(selection: ReportOptions["selection"]): ScannerSelection | null {
  return selection === undefined ? null : {
    requested_scanner_ids: selection.requested.toSorted(),
    enabled_scanner_ids: selection.enabled.toSorted(),
    excluded_scanner_ids: selection.excluded.toSorted(),
  };
}
