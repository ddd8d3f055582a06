import { resolve } from "node:path";
import { LeasePool } from "../../core/capacity/mod.ts";
import { nameOf } from "../../core/paths.ts";
import {
  accept,
  exitCode,
  type FileOutcome,
  type MarkedReport,
  report,
} from "../../core/scanner/mod.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type FoundFiles, localFiles } from "../../storage/disk/local_files.ts";
import { loadSettings } from "../environment.ts";
import { hostCapacity } from "../host_capacity.ts";
import { printError } from "../print_error.ts";
import { ProgressBar, progressScreen, StatusLine } from "../progress_bar.ts";
import { type ScanRequest, scanRequest, STDIN } from "./arguments.ts";
import { acceptedFindings } from "./accepted_findings.ts";
import { anyMatcher, DEFAULT_EXCLUDES } from "./default_excludes.ts";
import { isolationOf } from "./isolation.ts";
import { LineCounter } from "./line_counter.ts";
import { scanFiles, type ScanTarget } from "./scan_files.ts";
import { StdinFile } from "./stdin_file.ts";
import { writeReport } from "./write_report.ts";

/** `strongroom scan`: scans local files and prints the report. Exit codes are those of C 16 and C 25. */
export async function run(args: string[]): Promise<number> {
  const request = scanRequest(args);
  if (request.remote !== undefined) {
    const { scanRemote } = await import("./remote_scan.ts");
    return await scanRemote(request, request.remote);
  }
  const settings = loadSettings();
  const accepting = await acceptedFindings(request);
  const startedAt = Date.now();
  await using stdin = request.paths.includes(STDIN) ? await StdinFile.read() : undefined;
  const { files, excluded } = await foundFiles(request);
  const targets: ScanTarget[] = stdin === undefined
    ? [...files]
    : [...files, { path: request.stdinName, size: stdin.size, content: stdin.path }];
  const made = report({
    files: await scanLocal(targets, request.skip, settings),
    startTime: startedAt / 1000,
    duration: (Date.now() - startedAt) / 1000,
    skip: request.skip,
  });
  const marked: MarkedReport = {
    ...accept(made, { ...accepting, now: startedAt / 1000 }),
    ...(excluded.length > 0 && { excluded }),
  };
  const lines = new LineCounter();
  const contents = new Map(targets.map((it) => [it.path, "content" in it ? it.content : it.path]));
  await writeReport(marked, request, {
    base: Deno.cwd(),
    lineOf: (path, position) => lines.lineOf(contents.get(path) ?? path, position),
  });
  return exitCode(marked, request);
}

/** The files to scan, without the reports that the request names: those repeat earlier findings. */
async function foundFiles(request: ScanRequest): Promise<FoundFiles> {
  using _status = new StatusLine(progressScreen(), "Looking for files");
  const { paths, output, baseline, exclude, useDefaultExcludes } = request;
  const isExcluded = anyMatcher(exclude);
  // With the directory named, as the runtime would load much to find it.
  const absolute = (path: string) => resolve(Deno.cwd(), path);
  const reports = [output, baseline].flatMap((it) => it === undefined ? [] : absolute(it));
  return await localFiles(paths.filter((it) => it !== STDIN), {
    isExcluded: (path) => isExcluded(path) || reports.includes(absolute(path)),
    isSkippedDirectory: anyMatcher(useDefaultExcludes ? DEFAULT_EXCLUDES : []),
  });
}

/** Scans files under leases of this process, with a progress bar if stderr is a terminal. */
async function scanLocal(
  targets: readonly ScanTarget[],
  skip: readonly string[],
  settings: Settings,
): Promise<FileOutcome[]> {
  const host = hostCapacity(undefined, printError);
  await using isolation = isolationOf(settings, host);
  const { signal } = new AbortController();
  const bytes = targets.reduce((sum, it) => sum + ("size" in it ? it.size : 0), 0);
  const bar = new ProgressBar({ files: targets.length, bytes }, progressScreen());
  try {
    return await scanFiles(targets, {
      leases: new LeasePool(host),
      concurrency: host.stats().CPUCores,
      signal,
      scan: ({ path, content = path }, options) =>
        isolation.scan({ path: content, name: nameOf(path) }, {
          ...options,
          userId: 0,
          skip,
          signal,
        }),
      onProgress: (done) => bar.show(done),
    });
  } finally {
    bar.clear();
  }
}
