import {
  countBySeverity,
  type FileOutcome,
  type FileResult,
  report,
  type Severity,
} from "../../core/scanner/mod.ts";
import type { ScanProblems } from "../../core/scans/problems.ts";
import { Connection } from "./connection.ts";
import { scanRows } from "./scan_statements.ts";
import { MIB } from "../../schemas/units.ts";

/** The scan to report on. */
export interface ScanToReport {
  /** The path of the database. */
  readonly database: string;
  readonly id: number;
  readonly skip: readonly string[];
  readonly version: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** A report as JSON, and its totals. */
export interface ReportDocument {
  readonly json: Uint8Array;
  readonly files: number;
  readonly bytes: number;
  readonly issues: Readonly<Record<Severity, number>>;
  readonly problems: ScanProblems;
}

/**
 * Stored results of a scan may have at most this size for a report: making it takes several times
 * as much memory, and a worker that runs out of memory ends the process.
 */
const MAX_RESULT_BYTES = 128 * MIB;

/**
 * Makes the report of a scan from its stored results. May take seconds. Returns undefined if the
 * results are too large for one report.
 */
export function makeReport(scan: ScanToReport): ReportDocument | undefined {
  using connection = new Connection(scan.database, { readOnly: true });
  const { id, skip, version, startedAt, finishedAt } = scan;
  const key = { id, skip: JSON.stringify(skip), version };
  if (Number(scanRows(connection, "outcomesSize", key)[0]?.size) > MAX_RESULT_BYTES) {
    return undefined;
  }
  const rows = scanRows(connection, "outcomes", key);
  const outcomes = rows.map(({ path, error, result }) => outcomeOf(String(path), error, result));
  const document = report({
    files: outcomes,
    startTime: startedAt / 1000,
    duration: (finishedAt - startedAt) / 1000,
    skip,
  });
  return {
    json: new TextEncoder().encode(JSON.stringify(document)),
    files: document.files_scanned,
    bytes: document.bytes_scanned,
    issues: countBySeverity(document.issues),
    problems: problemsOf(outcomes),
  };
}

function problemsOf(outcomes: readonly FileOutcome[]): ScanProblems {
  const failures = outcomes.flatMap((it) => "error" in it ? [it.error] : []);
  const errors = outcomes.flatMap((it) => "scan" in it ? it.scan.operationalError ?? [] : []);
  return {
    files: outcomes.length,
    unscanned: failures.length,
    firstFailure: failures[0] ?? "",
    cutShort: errors.length,
    firstError: errors[0] ?? "",
  };
}

function outcomeOf(path: string, error: unknown, result: unknown): FileOutcome {
  if (typeof result === "string") {
    const scan: FileResult = JSON.parse(result);
    return { path, scan };
  }
  return { path, error: typeof error === "string" ? error : "Not scanned" };
}
