import { Buffer } from "node:buffer";
import { type FileResult, judge } from "../../core/scanner/mod.ts";
import type { Scan, ScannedContent, ScanPace, ScanStatus } from "../../core/scans/ports.ts";
import { describeProblems } from "../../core/scans/problems.ts";
import { KIB } from "../../schemas/units.ts";
import { numberOrNull, type SqlRow, withoutNul } from "./dialect.ts";
import type { ReportTotals } from "./scan_reports.ts";

/** The paths of a scan that lists and events show, in UTF-16 code units. A scan may have megabytes of them. */
const MAX_SHOWN_LENGTH = 16 * KIB;

/** The first paths, as many as lists and events show. */
export function firstPaths(paths: readonly string[]): string[] {
  let length = 0;
  return paths.filter((path) => (length += path.length) <= MAX_SHOWN_LENGTH);
}

/** The scan in the first row. */
export function firstScan([row]: readonly SqlRow[]): Scan {
  if (row === undefined) throw new Error("The scan was removed, or another server runs it");
  return toScan(row);
}

const STATUSES: readonly ScanStatus[] = ["queued", "running", "completed", "failed", "cancelled"];

/** Converts a row of a scan. */
export function toScan(row: SqlRow): Scan {
  const status = STATUSES.find((known) => known === row.status);
  if (status === undefined) throw new Error(`Unknown scan status ${row.status}`);
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    requestedBy: Number(row.requested_by ?? row.user_id),
    status,
    paths: textsOf(row.paths),
    pathsTotal: Number(row.paths_total),
    skip: textsOf(row.skip),
    createdAt: Number(row.created_at),
    startedAt: numberOrNull(row.started_at),
    finishedAt: numberOrNull(row.finished_at),
    filesTotal: Number(row.files_total),
    filesScanned: Number(row.files_scanned),
    bytesTotal: Number(row.bytes_total),
    bytesScanned: Number(row.bytes_scanned),
    issues: {
      critical: Number(row.critical),
      warning: Number(row.warning),
      info: Number(row.info),
      debug: Number(row.debug),
    },
    error: row.error === null ? null : String(row.error),
  };
}

/** The texts of a JSON array. */
export function textsOf(json: SqlRow[string] | undefined): string[] {
  const texts: unknown = JSON.parse(String(json));
  return Array.isArray(texts) ? texts.map(String) : [];
}

/** The columns of a scan whose report has been made. */
export function columnsOfEnd(id: number, now: number, totals: ReportTotals) {
  const { files, bytes, issues, problems } = totals;
  const error = describeProblems(problems);
  return {
    id,
    now,
    status: files === 0 && problems.unscanned > 0 ? "failed" : "completed",
    error: error === null ? null : withoutNul(error),
    files,
    bytes,
    ...issues,
  };
}

/** The columns of a result besides its key. */
export function columnsOfResult(result: FileResult, pace?: ScanPace) {
  const { verdict, findings } = judge(result);
  const { sha256 } = result.hashes;
  return {
    sha256: sha256 == null ? null : Buffer.from(sha256, "hex"),
    verdict,
    format: result.asset.type,
    findings: JSON.stringify(findings),
    now: Date.now(),
    took: pace === undefined ? null : Math.ceil(pace.tookMs),
    read: pace === undefined ? null : Math.ceil(pace.readMs),
    result: JSON.stringify(result),
  };
}

/** The result in a row and the pace of its scan, or undefined if the row has none. */
export function scannedIn(row: SqlRow): ScannedContent | undefined {
  if (typeof row.result !== "string") return undefined;
  const pace = { tookMs: Number(row.took_ms), readMs: Number(row.read_ms) };
  return { result: JSON.parse(row.result), pace };
}
