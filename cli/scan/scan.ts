import * as v from "valibot";
import config from "../../deno.json" with { type: "json" };
import { LeasePool } from "../../core/capacity/mod.ts";
import { AppError } from "../../core/errors.ts";
import { nameOf } from "../../core/paths.ts";
import {
  exitCode,
  type FileOutcome,
  report,
  REPORT_FORMATS,
  reportAs,
  type ReportFormat,
} from "../../core/scanner/mod.ts";
import { type ScannerSelection, skippedScanners } from "../../core/scans/selection.ts";
import type { Settings } from "../../schemas/settings.ts";
import { localFiles } from "../../storage/local_files.ts";
import { parseArguments } from "../arguments.ts";
import { hostCapacity, loadSettings, printError } from "../environment.ts";
import { ProgressBar, progressScreen } from "../progress_bar.ts";
import { UsageError } from "../usage_error.ts";
import { isolationOf } from "./isolation.ts";
import { LineCounter } from "./line_counter.ts";
import { scanFiles, type ScanTarget } from "./scan_files.ts";

const DEFAULT_COLUMNS = 100;

/** `strongroom scan`: scans local files and prints the report. Exit codes are those of C 16. */
export async function run(args: string[]): Promise<number> {
  const { paths, format, skip } = scanRequest(args);
  const settings = loadSettings();
  const startedAt = Date.now();
  const files = await scanLocal(await localFiles(paths), skip, settings);
  const made = report({
    files,
    startTime: startedAt / 1000,
    duration: (Date.now() - startedAt) / 1000,
    skip,
  });
  const color = Deno.stdout.isTerminal();
  const width = color ? Deno.consoleSize().columns : DEFAULT_COLUMNS;
  const lines = new LineCounter();
  console.log(reportAs(format, made, {
    color,
    width,
    version: config.version,
    base: Deno.cwd(),
    lineOf: (path, position) => lines.lineOf(path, position),
  }));
  return exitCode(made);
}

interface LocalScanRequest {
  readonly paths: readonly string[];
  readonly format: ReportFormat;
  /** Ids of the scanners that do not run. */
  readonly skip: readonly string[];
}

function scanRequest(args: string[]): LocalScanRequest {
  const { values, positionals: paths } = parseArguments({
    args,
    options: {
      format: { type: "string", default: "json" },
      scanners: { type: "string" },
      weights: { type: "boolean", default: false },
    },
    strict: true,
    allowPositionals: true,
  });
  const format = v.safeParse(v.picklist(REPORT_FORMATS), values.format);
  if (!format.success) {
    throw new UsageError(
      `Unknown format "${values.format}": expected one of ${REPORT_FORMATS.join(", ")}`,
    );
  }
  if (paths.length === 0) throw new UsageError("The path of a file or directory is required");
  const scanners = values.scanners?.split(",") ?? null;
  const skip = skippedBy({ scanners, weights: values.weights });
  return { paths, format: format.output, skip };
}

function skippedBy(selection: ScannerSelection): string[] {
  try {
    return skippedScanners(selection);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** Scans files under leases of this process, with a progress bar if stderr is a terminal. */
async function scanLocal(
  targets: readonly ScanTarget[],
  skip: readonly string[],
  settings: Settings,
): Promise<FileOutcome[]> {
  const host = hostCapacity(".", printError);
  await using isolation = isolationOf(settings, host);
  const { signal } = new AbortController();
  const bytes = targets.reduce((sum, it) => sum + ("size" in it ? it.size : 0), 0);
  const bar = new ProgressBar({ files: targets.length, bytes }, progressScreen());
  try {
    return await scanFiles(targets, {
      leases: new LeasePool(host),
      concurrency: host.stats().CPUCores,
      signal,
      scan: (path, options) =>
        isolation.scan({ path, name: nameOf(path) }, { ...options, userId: 0, skip, signal }),
      onProgress: (done) => bar.show(done),
    });
  } finally {
    bar.clear();
  }
}
