import type { Issue, Report } from "../../../schemas/report/report.ts";
import { type Severity, severityOf } from "../contract/severity.ts";
import { LicenseFiles } from "./license_files.ts";
import { LOCATION_SEPARATOR } from "./location.ts";
import { type FileOutcome, reportedFile, type ReportOptions, ReportTotals } from "./report.ts";
import { sha256Of } from "./sha256.ts";

/** The parts of the JSON text of a report, in order. */
export const REPORT_PARTS = ["head", "issues", "checks", "assets", "file_metadata"] as const;
export type ReportPart = typeof REPORT_PARTS[number];

type List = Exclude<ReportPart, "head">;

/** The list parts, with the brackets around their elements. The last one ends the report. */
const BRACKETS: Readonly<Record<List, readonly [string, string]>> = {
  issues: [',"issues":[', "]"],
  checks: [',"checks":[', "]"],
  assets: [',"assets":[', "]"],
  file_metadata: [',"file_metadata":{', "}}"],
};

/**
 * The elements of a list part in a chunk of its text, as JSON without brackets. Chunks consist of whole pieces.
 *
 * @param edges Whether the chunk is the first one of its part, and the last one.
 */
export function elementsText(
  part: List,
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const [begin, end] = BRACKETS[part];
  const inner = isLast ? text.slice(0, text.length - end.length) : text;
  return inner.slice(isFirst ? begin.length : inner.startsWith(",") ? 1 : 0);
}

/** A piece of text to append to a part. */
export interface ReportPiece {
  readonly part: ReportPart;
  readonly text: string;
}

/** Options of {@link ReportStream}. */
export type ReportStreamOptions = Omit<ReportOptions, "files">;

/**
 * Writes the JSON text of a report file by file, so that neither the results nor the report have to be
 * in memory whole. The report has the content that {@link reportOf} builds.
 */
export class ReportStream {
  readonly #options: ReportStreamOptions;
  readonly #totals: ReportTotals;
  readonly #licenses = new LicenseFiles();
  readonly #begun = new Set<List>();
  readonly #issues: Record<Severity, number> = { critical: 0, warning: 0, info: 0, debug: 0 };
  /** Digests of the issues, kept only if issues of two files may have the same location. */
  #seen: Set<string> | undefined;

  constructor(options: ReportStreamOptions) {
    this.#options = options;
    this.#totals = new ReportTotals(options);
  }

  /** Says which files will be added. Call it for all of them before the first {@link add}. */
  expect(paths: readonly string[]): void {
    // It separates a path from a member.
    if (paths.some((path) => LOCATION_SEPARATOR.test(path))) this.#seen ??= new Set();
    this.#licenses.add(paths);
  }

  /** The number of issues so far, by severity. */
  get issues(): Readonly<Record<Severity, number>> {
    return this.#issues;
  }

  /** The totals so far. */
  get totals(): Pick<Report, "files_scanned" | "bytes_scanned"> {
    return this.#totals.fields;
  }

  /** The text that a file adds. */
  *add(outcome: FileOutcome): Generator<ReportPiece, void> {
    const file = reportedFile(outcome, this.#options, this.#licenses);
    this.#totals.add(file);
    const issues = file.issues.filter((issue) => this.#isNew(issue));
    for (const issue of issues) this.#issues[severityOf(issue)]++;
    yield* this.#append("issues", issues.map((it) => JSON.stringify(it)));
    yield* this.#append("checks", file.checks.map((it) => JSON.stringify(it)));
    yield* this.#append("assets", [JSON.stringify(file.asset)]);
    const metadata = `${JSON.stringify(file.path)}:${JSON.stringify(file.metadata)}`;
    yield* this.#append("file_metadata", [metadata]);
  }

  /** The text after all files: the head, and the ends of the lists. */
  *finish(): Generator<ReportPiece, void> {
    yield { part: "head", text: JSON.stringify(this.#totals.fields).slice(0, -1) };
    for (const part of REPORT_PARTS) {
      if (part === "head") continue;
      const [begin, end] = BRACKETS[part];
      yield { part, text: (this.#begun.has(part) ? "" : begin) + end };
    }
  }

  *#append(part: List, elements: readonly string[]): Generator<ReportPiece, void> {
    if (elements.length === 0) return;
    const before = this.#begun.has(part) ? "," : BRACKETS[part][0];
    this.#begun.add(part);
    yield { part, text: before + elements.join(",") };
  }

  /** Whether no issue of another file repeats this one (C 16). */
  #isNew({ message, severity, location }: Issue): boolean {
    if (this.#seen === undefined) return true;
    const identity = JSON.stringify([message, severity, location]);
    const digest = sha256Of(identity);
    if (this.#seen.has(digest)) return false;
    this.#seen.add(digest);
    return true;
  }
}
