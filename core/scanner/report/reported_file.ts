import type { Asset, FileMetadata, Issue, ReportCheck } from "../../../schemas/report/report.ts";
import type { FileCheck, FileResult } from "../contract/file_result.ts";
import { severityOf } from "../contract/severity.ts";
import { consolidate } from "./consolidate.ts";
import { withFilePatterns } from "./file_patterns.ts";
import { purposeOf } from "./file_purpose.ts";
import { issuesOf } from "./issues.ts";
import type { LicenseFiles } from "./license_files.ts";
import { riskScore } from "./risk_score.ts";

/** The parts of a report for one file. */
export interface ReportedFile {
  readonly path: string;
  /** Undefined if the file could not be scanned. */
  readonly scan?: FileResult;
  readonly checks: readonly ReportCheck[];
  readonly issues: readonly Issue[];
  readonly asset: Asset;
  readonly metadata: FileMetadata;
  readonly inconclusive: boolean;
}

/** When the scan of a report ran, in seconds since the Unix epoch. */
export interface ScanTimes {
  readonly start: number;
  readonly end: number;
}

/**
 * Moves the times of a result into those of a scan. A result may be one of an earlier scan, perhaps of
 * another user, whose times are not for the reader of this report.
 */
export function withinTimes(scan: FileResult, { start, end }: ScanTimes): FileResult {
  const within = (time: number) => Math.min(Math.max(time, start), end);
  return {
    ...scan,
    timestamp: within(scan.timestamp),
    checks: scan.checks.map((check) => ({ ...check, timestamp: within(check.timestamp) })),
  };
}

export interface ScannedFile {
  readonly path: string;
  readonly scan: FileResult;
  /** @default {false} */
  readonly isStreamed?: boolean;
}

/** Reports a file that was scanned. */
export function scannedFile(
  { path, scan, isStreamed = false }: ScannedFile,
  licenses: LicenseFiles,
): ReportedFile {
  const { type, ...parts } = scan.asset;
  const issues = issuesOf(path, scan.checks);
  return {
    path,
    scan,
    checks: consolidate(path, scan.checks),
    issues,
    asset: { path, type, size: scan.size, is_streamed: isStreamed, ...parts },
    metadata: {
      ...purposeOf(path, type),
      ...withFilePatterns(scan.metadata, path),
      file_size: scan.size,
      file_hashes: scan.hashes,
      license_files_nearby: licenses.near(path),
      scan_timestamp: scan.timestamp,
      ...outcomeOf(issues, scan.inconclusive, scan.operationalError),
    },
    inconclusive: scan.inconclusive.length > 0,
  };
}

/**
 * Reports a file that could not be scanned.
 *
 * @param error The reason, for people.
 * @param timestamp Seconds since the Unix epoch.
 */
export function unscannedFile(path: string, error: string, timestamp: number): ReportedFile {
  const reason = "not_scanned";
  const check: FileCheck = {
    scanner: "file",
    name: "File Scan",
    status: "failed",
    severity: "warning",
    message: `Could not be scanned: ${error}`,
    why: "Unscanned content may be harmful.",
    location: "",
    incomplete: reason,
    timestamp,
  };
  const issues = issuesOf(path, [check]);
  return {
    path,
    checks: consolidate(path, [check]),
    issues,
    asset: { path, type: "error" },
    metadata: { scan_timestamp: timestamp, ...outcomeOf(issues, [reason], check.message) },
    inconclusive: true,
  };
}

/** The outcome of the scan of a file, as metadata (C 16). */
function outcomeOf(
  issues: readonly Issue[],
  inconclusive: readonly string[],
  operationalError: string | undefined,
): FileMetadata {
  const isInconclusive = inconclusive.length > 0;
  return {
    risk_score: riskScore(issues.map(severityOf), isInconclusive),
    ...(isInconclusive && {
      scan_outcome: "inconclusive",
      scan_outcome_reasons: [...inconclusive],
    }),
    ...(operationalError !== undefined && {
      operational_error: true,
      operational_error_reason: operationalError,
    }),
  };
}
