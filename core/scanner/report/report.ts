import type { Report } from "../../../schemas/report/report.ts";
import type { FileResult } from "../contract/file_result.ts";
import { isFinding, severityOf } from "../contract/severity.ts";
import { uniqueIssues } from "./issues.ts";
import { LicenseFiles } from "./license_files.ts";
import { type ReportedFile, scannedFile, unscannedFile, withinTimes } from "./reported_file.ts";
import { sha256Of } from "./sha256.ts";

/** A path of a scan with its result, or the reason it was not scanned. */
export type FileOutcome =
  | {
    readonly path: string;
    readonly scan: FileResult;
    /** Whether the content came from a stream, and is not kept (SR 2.2). @default {false} */
    readonly isStreamed?: boolean;
  }
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
export function reportOf({ files, ...options }: ReportOptions): Report {
  const licenses = new LicenseFiles();
  licenses.add(files.map(({ path }) => path));
  const totals = new ReportTotals(options);
  const reported = files.map((file) => reportedFile(file, options, licenses));
  for (const file of reported) totals.add(file);
  return {
    ...totals.fields,
    issues: uniqueIssues(reported.flatMap((it) => it.issues)),
    checks: reported.flatMap((it) => it.checks),
    assets: reported.map(({ asset }) => asset),
    file_metadata: Object.fromEntries(reported.map(({ path, metadata }) => [path, metadata])),
  };
}

/** Reports one file, with times within those of the scan. */
export function reportedFile(
  file: FileOutcome,
  { startTime, duration }: Pick<ReportOptions, "startTime" | "duration">,
  licenses: LicenseFiles,
): ReportedFile {
  const times = { start: startTime, end: startTime + duration };
  if ("error" in file) return unscannedFile(file.path, file.error, times.end);
  return scannedFile({ ...file, scan: withinTimes(file.scan, times) }, licenses);
}

/** The fields of a report that are no lists of its files' parts. */
type TotalFields = Omit<Report, "issues" | "checks" | "assets" | "file_metadata">;

/** Counts the files of a report as they are added. */
export class ReportTotals {
  readonly #options: Omit<ReportOptions, "files">;
  readonly #scanners = new Set<string>();
  readonly #digests = new Set<string>();
  readonly #checks = { passed: 0, failed: 0, skipped: 0 };
  #files = 0;
  #bytes = 0;
  #hasErrors = false;
  #isUnclear = false;

  constructor(options: Omit<ReportOptions, "files">) {
    this.#options = options;
  }

  add({ scan, checks, issues, inconclusive }: ReportedFile): void {
    if (scan !== undefined) {
      this.#files++;
      this.#bytes += scan.size;
      for (const scanner of scan.scanners) this.#scanners.add(scanner);
      if (scan.hashes.sha256) this.#digests.add(scan.hashes.sha256.toLowerCase());
    }
    this.#hasErrors ||= scan === undefined || scan.operationalError !== undefined;
    this.#isUnclear ||= inconclusive && !issues.some((issue) => isFinding(severityOf(issue)));
    // Failed checks of severity debug and info are not counted, so that total - passed - failed is
    // the number of skipped checks (C 16).
    for (const check of checks) {
      if (check.status !== "failed" || isFinding(severityOf(check))) this.#checks[check.status]++;
    }
  }

  get fields(): TotalFields {
    const { startTime, duration, selection } = this.#options;
    const { passed, failed, skipped } = this.#checks;
    return {
      bytes_scanned: this.#bytes,
      files_scanned: this.#files,
      has_errors: this.#hasErrors,
      success: !this.#hasErrors && !this.#isUnclear,
      start_time: startTime,
      duration,
      total_checks: passed + failed + skipped,
      passed_checks: passed,
      failed_checks: failed,
      scanner_names: [...this.#scanners],
      scanner_selection: selectionOf(selection),
      content_hash: contentHash(this.#digests),
    };
  }
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
function contentHash(digests: ReadonlySet<string>): string | null {
  return digests.size === 0 ? null : sha256Of([...digests].sort().join(""));
}
