import type { FileMetadata, Issue, Report } from "../../../schemas/report/report.ts";
import type { Severity } from "../contract/severity.ts";
import { countsAs, exitCodeOf, isUnclear } from "./exit_code.ts";
import { type KnownPaths, LOCATION_SEPARATOR } from "./location.ts";
import {
  artifactOf,
  invocationOf,
  LOG_HEAD,
  noteRules,
  Results,
  ruleIdsOf,
  runOf,
  type SarifOptions,
} from "./sarif.ts";

/** A report that is read in groups of its elements, as often as needed. */
export interface ReportReader {
  head(): Promise<Pick<Report, "start_time" | "duration" | "has_errors" | "files_scanned">>;
  /** The issues of a file come one after the other. */
  issues(): AsyncGenerator<readonly Issue[]>;
  /** The files with their metadata. */
  files(): AsyncGenerator<readonly (readonly [path: string, metadata: FileMetadata])[]>;
}

/**
 * Writes the SARIF log of a report with one group in memory at a time: what `reportSarif` returns, with
 * what is known only at the end after the results. Yields a text for each group that it reads, some of
 * them empty.
 */
export async function* sarifText(
  report: ReportReader,
  options: Pick<SarifOptions, "version">,
): AsyncGenerator<string, void> {
  yield `${JSON.stringify(LOG_HEAD).slice(0, -1)},"runs":[{"artifacts":[`;
  const paths = new SeparatedPaths();
  let [before, hasUnclear] = ["", false];
  for await (const files of report.files()) {
    paths.note(files.map(([path]) => path));
    hasUnclear ||= files.some(([, metadata]) => isUnclear(metadata));
    const artifacts = files.map(([path, metadata]) => artifactOf(path, metadata, {}));
    yield elements(before, artifacts);
    if (artifacts.length > 0) before = ",";
  }
  const worst = new Map<string, Severity>();
  for await (const issues of report.issues()) {
    noteRules(worst, issues);
    yield "";
  }
  yield '],"results":[';
  const results = new Results(ruleIdsOf(worst), { paths, isByFile: true });
  before = "";
  for await (const issues of report.issues()) {
    yield elements(before, issues.map(results.of));
    if (issues.length > 0) before = ",";
  }
  const head = await report.head();
  const hasFound = worst.values().some((severity) => countsAs(severity, {}));
  const exitCode = exitCodeOf(head, { hasFound, isUnclear: hasUnclear });
  const rest = { ...runOf(worst, options), invocations: [invocationOf(head, exitCode)] };
  yield `],${JSON.stringify(rest).slice(1)}]}`;
}

function elements(before: string, items: readonly Record<string, unknown>[]): string {
  return items.length === 0 ? "" : before + JSON.stringify(items).slice(1, -1);
}

/** Knows the paths of a report without keeping them, except those with what separates a path from a member. */
class SeparatedPaths implements KnownPaths {
  readonly #separated = new Set<string>();

  note(paths: readonly string[]): void {
    for (const path of paths) if (LOCATION_SEPARATOR.test(path)) this.#separated.add(path);
  }

  has(path: string): boolean {
    return !LOCATION_SEPARATOR.test(path) || this.#separated.has(path);
  }
}
