import type { Issue, Report } from "../../../schemas/report/report.ts";
import { severityOf } from "../contract/severity.ts";
import { ruleIdOf } from "./issues.ts";
import { locationOf } from "./location.ts";

/**
 * The findings of an earlier report. Positions in a file do not matter, as an edit moves them; neither
 * does the path of a file whose content is the same. A critical finding is known only in the same
 * content: another one may do anything in the same way.
 */
export class Baseline {
  readonly #byPath = new Map<string, number>();
  readonly #byContent = new Map<string, number>();
  /** The contents of files, each with its outcome. */
  readonly #files = new Set<string>();

  constructor(report: Report) {
    const paths = pathsOf(report);
    for (const issue of report.issues) {
      const { path, content } = keysOf(issue, report, paths);
      for (const [counts, key] of [[this.#byPath, path], [this.#byContent, content]] as const) {
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    for (const path of paths) {
      const key = fileKeyOf(report, path);
      if (key !== undefined) this.#files.add(key);
    }
  }

  /** Whether an issue is known, once for each time that the earlier report has it. */
  takeIssue(issue: Issue, report: Report, paths: ReadonlySet<string>): boolean {
    const { path, content } = keysOf(issue, report, paths);
    if (take(this.#byContent, content)) {
      take(this.#byPath, path);
      return true;
    }
    return severityOf(issue) !== "critical" && take(this.#byPath, path);
  }

  /** Whether the earlier report has the content of a file with the same outcome. */
  hasFile(report: Report, path: string): boolean {
    const key = fileKeyOf(report, path);
    return key !== undefined && this.#files.has(key);
  }
}

/** The paths of all files of a report. */
export function pathsOf({ assets }: Pick<Report, "assets">): ReadonlySet<string> {
  return new Set(assets.map(({ path }) => path));
}

/** The SHA-256 of a file, in lower case. */
export function sha256Of({ file_metadata }: Report, path: string): string | undefined {
  return file_metadata[path]?.file_hashes?.sha256?.toLowerCase();
}

function take(counts: Map<string, number>, key: string | undefined): boolean {
  const count = key === undefined ? 0 : counts.get(key) ?? 0;
  if (key === undefined || count === 0) return false;
  counts.set(key, count - 1);
  return true;
}

function keysOf(
  issue: Issue,
  report: Report,
  paths: ReadonlySet<string>,
): { readonly path: string; readonly content: string | undefined } {
  const { path, member = "" } = locationOf(issue.location ?? "", paths);
  const identity = [ruleIdOf(issue), severityOf(issue), issue.message, member];
  const sha256 = sha256Of(report, path);
  return {
    path: JSON.stringify([plainPath(path), ...identity]),
    content: sha256 === undefined ? undefined : JSON.stringify([sha256, ...identity]),
  };
}

/** The path without segments that lead nowhere: `./a` is `a`. */
function plainPath(path: string): string {
  return path.split("/").filter((it, index) => it !== "." && (it !== "" || index === 0)).join("/");
}

function fileKeyOf(report: Report, path: string): string | undefined {
  const sha256 = sha256Of(report, path);
  const outcome = report.file_metadata[path]?.["scan_outcome"] ?? "complete";
  return sha256 === undefined ? undefined : JSON.stringify([sha256, outcome]);
}
