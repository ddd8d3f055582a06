import {
  type FileOutcome,
  type FileResult,
  REPORT_PARTS,
  type ReportPart,
  type ReportPiece,
  type ReportStream,
  type Severity,
  streamedReport,
} from "../../core/scanner/mod.ts";
import type { ScanProblems } from "../../core/scans/problems.ts";
import { MIB } from "../../schemas/units.ts";
import type { SqlParameters, SqlRow } from "./dialect.ts";
import type { ScanStatement } from "./scan_statements.ts";

/** Reads scans on a connection of its own. */
export interface ScanReader extends AsyncDisposable {
  rows(statement: ScanStatement, parameters: SqlParameters): SqlRow[] | Promise<SqlRow[]>;
}

/** The scan to report on. */
export interface ScanToReport {
  /** Where the database is: a path or a URL. */
  readonly database: string;
  readonly id: number;
  readonly skip: readonly string[];
  readonly version: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly finishedAt: number;
}

/** A chunk of a report. The report is the chunks of part 0 in their order, then those of part 1, … */
export interface ReportChunk {
  readonly part: number;
  readonly chunk: Uint8Array;
}

/** The totals of a report, after its last chunk. */
export interface ReportTotals {
  readonly files: number;
  readonly bytes: number;
  readonly issues: Readonly<Record<Severity, number>>;
  readonly problems: ScanProblems;
}

/** Stored results of a scan may have at most this size for a report, which is about as large. */
const MAX_RESULT_BYTES = 128 * MIB;
/** A chunk is complete when its text has this many characters. */
const CHUNK_CHARS = MIB;

/** The next chunks of a report. */
export interface ReportStep {
  readonly chunks: readonly ReportChunk[];
  /** Left out while there are more chunks. */
  readonly totals?: ReportTotals;
}

interface StartedReport {
  readonly reader: ScanReader;
  readonly chunks: AsyncIterator<ReportChunk, ReportTotals>;
}

/**
 * Makes reports from stored results, several of them by turns. Of each, it holds the result of one file
 * and some chunks.
 */
export class ReportMaker {
  /** By the ids of their scans. */
  readonly #reports = new Map<number, StartedReport>();
  readonly #open: (database: string) => Promise<ScanReader>;

  constructor(open: (database: string) => Promise<ScanReader>) {
    this.#open = open;
  }

  /** Starts a report, until {@link end}. Returns false if the results are too large for one. */
  async start(scan: ScanToReport): Promise<boolean> {
    const reader = await this.#open(scan.database);
    this.#reports.set(scan.id, { reader, chunks: reportChunks(reader, scan) });
    const [row] = await reader.rows("outcomesSize", keyOf(scan));
    return Number(row?.size) <= MAX_RESULT_BYTES;
  }

  /**
   * The next chunks of the report of a scan: of about a MiB, or the last ones.
   *
   * @throws {Error} when the report was not started.
   */
  async next(id: number): Promise<ReportStep> {
    const report = this.#reports.get(id);
    if (report === undefined) throw new Error(`The report of scan ${id} was not started`);
    const chunks: ReportChunk[] = [];
    for (let bytes = 0; bytes < CHUNK_CHARS;) {
      const { done, value } = await report.chunks.next();
      if (done) return { chunks, totals: value };
      chunks.push(value);
      bytes += value.chunk.length;
    }
    return { chunks };
  }

  /** Ends a report, finished or not. */
  async end(id: number): Promise<void> {
    const report = this.#reports.get(id);
    this.#reports.delete(id);
    await report?.reader[Symbol.asyncDispose]();
  }
}

function keyOf({ id, skip, version }: ScanToReport) {
  return { id, skip: JSON.stringify(skip), version };
}

async function* reportChunks(
  reader: ScanReader,
  scan: ScanToReport,
): AsyncGenerator<ReportChunk, ReportTotals> {
  const { id, skip, startedAt, finishedAt } = scan;
  const stream = streamedReport({
    startTime: startedAt / 1000,
    duration: (finishedAt - startedAt) / 1000,
    skip,
  });
  for await (const page of pages((after) => reader.rows("paths", { id, after }))) {
    stream.expect(page.map(pathOf));
  }
  const problems = new ProblemCount();
  const chunks = new ChunkWriter();
  const key = keyOf(scan);
  for await (const rows of pages((after) => reader.rows("nextOutcome", { ...key, after }))) {
    for (const outcome of rows.map(outcomeOf)) {
      problems.add(outcome);
      yield* chunks.append(stream.add(outcome));
    }
  }
  yield* chunks.append(stream.finish());
  yield* chunks.finish();
  return totalsOf(stream, problems.counts);
}

function totalsOf({ totals, issues }: ReportStream, problems: ScanProblems): ReportTotals {
  const { files_scanned: files, bytes_scanned: bytes } = totals;
  return { files, bytes, issues, problems };
}

/** All pages; `page` returns the rows after a path. */
async function* pages(page: (after: string) => SqlRow[] | Promise<SqlRow[]>) {
  for (let rows = await page(""); rows.length > 0; rows = await page(pathOf(rows.at(-1)))) {
    yield rows;
  }
}

function pathOf(row: SqlRow | undefined): string {
  return String(row?.path);
}

function outcomeOf({ path, error, result }: SqlRow): FileOutcome {
  if (typeof result === "string") {
    const scan: FileResult = JSON.parse(result);
    return { path: String(path), scan };
  }
  return { path: String(path), error: typeof error === "string" ? error : "Not scanned" };
}

/** Collects the text of each part into chunks. */
class ChunkWriter {
  readonly #texts = new Map<ReportPart, { pieces: string[]; chars: number }>();

  /** Appends pieces, and returns the chunks that are complete. */
  *append(pieces: Iterable<ReportPiece>): Generator<ReportChunk, void> {
    for (const { part, text } of pieces) {
      const waiting = this.#texts.get(part) ?? { pieces: [], chars: 0 };
      waiting.pieces.push(text);
      waiting.chars += text.length;
      this.#texts.set(part, waiting);
      if (waiting.chars >= CHUNK_CHARS) yield this.#take(part);
    }
  }

  /** Returns what is left of each part. */
  *finish(): Generator<ReportChunk, void> {
    for (const part of [...this.#texts.keys()]) yield this.#take(part);
  }

  #take(part: ReportPart): ReportChunk {
    const text = this.#texts.get(part)?.pieces.join("") ?? "";
    this.#texts.delete(part);
    return { part: REPORT_PARTS.indexOf(part), chunk: new TextEncoder().encode(text) };
  }
}

/** Counts the files that were not scanned, or not completely. */
class ProblemCount {
  #files = 0;
  readonly #unscanned = { count: 0, first: "" };
  readonly #cutShort = { count: 0, first: "" };

  add(outcome: FileOutcome): void {
    this.#files++;
    const reason = "error" in outcome ? outcome.error : outcome.scan.operationalError;
    if (reason === undefined) return;
    const counted = "error" in outcome ? this.#unscanned : this.#cutShort;
    if (counted.count++ === 0) counted.first = reason;
  }

  get counts(): ScanProblems {
    return {
      files: this.#files,
      unscanned: this.#unscanned.count,
      firstFailure: this.#unscanned.first,
      cutShort: this.#cutShort.count,
      firstError: this.#cutShort.first,
    };
  }
}
