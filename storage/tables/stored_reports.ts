import type { Chunk } from "../../core/content.ts";
import { untilAborted } from "../../core/event_loop.ts";
import { type Scan, ScanFailure } from "../../core/scans/ports.ts";
import type { PooledWorker, WorkerPool } from "../threads/pool.ts";
import { commit, type SqlParameters, type SqlRow, type Statements } from "./dialect.ts";
import type { SarifMaker } from "./sarif_maker.ts";
import type { ReportMaker, ScanToReport } from "./scan_reports.ts";
import { columnsOfEnd } from "./scan_rows.ts";
import type { ScanStatement } from "./scan_statements.ts";
import type { ScanSteps } from "./scan_steps.ts";

export interface StoredReportsParts {
  readonly statements: Statements<ScanStatement>;
  readonly steps: ScanSteps;
  /** Where a thread that makes reports finds the database. */
  readonly database: string;
  /** One thread makes all reports by turns: each would take the memory of a runtime, and time to start. */
  readonly reports: Pick<WorkerPool<ReportMaker & SarifMaker>, "acquire" | typeof Symbol.dispose>;
}

/** Makes the reports of scans, and keeps them in the database in chunks. */
export class StoredReports {
  readonly #parts: StoredReportsParts;

  constructor(parts: StoredReportsParts) {
    this.#parts = parts;
  }

  /**
   * Makes and stores the report of a scan, and ends the scan with it.
   *
   * @throws {ScanFailure} when the scan has too many findings for a report, or the reason of the signal when it
   *   aborts.
   */
  async make(scan: ScanToReport, signal: AbortSignal): Promise<Scan> {
    using maker = this.#parts.reports.acquire();
    try {
      return await this.#write(maker, scan, signal);
    } catch (error) {
      await commit(this.#parts.statements, "forgetReport", { id: scan.id });
      throw error;
    } finally {
      await maker.remote.end(scan.id);
    }
  }

  /** The report of a scan, if it has one. */
  async read(id: number): Promise<AsyncIterable<Chunk> | undefined> {
    const chunks = await this.#countChunks(id);
    return chunks === 0 ? undefined : this.#chunks(id, chunks);
  }

  /** The report of a scan as SARIF, if it has one. */
  async readSarif(id: number, version: string): Promise<AsyncIterable<Chunk> | undefined> {
    return await this.#countChunks(id) === 0 ? undefined : this.#sarifChunks(id, version);
  }

  async #countChunks(id: number): Promise<number> {
    const [row] = await this.#read("countReportChunks", { id });
    return Number(row?.chunks);
  }

  /** Stores the report as it is made, and its last chunks together with the end of the scan. */
  async #write(
    { remote }: PooledWorker<ReportMaker>,
    scan: ScanToReport,
    signal: AbortSignal,
  ): Promise<Scan> {
    const { id, finishedAt } = scan;
    if (!await untilAborted(remote.start(scan), signal)) {
      throw new ScanFailure("Too many findings for one report: scan fewer files at once");
    }
    for (let position = 0;;) {
      const { chunks, totals } = await untilAborted(remote.next(id), signal);
      const added = chunks.map((chunk) =>
        ["addReportChunk", { id, position: position++, ...chunk }] as const
      );
      if (totals === undefined) {
        await this.#parts.statements.write((run) => Promise.all(added.map((it) => run(...it))));
      } else {
        return await this.#parts.steps.end("complete", columnsOfEnd(id, finishedAt, totals), added);
      }
    }
  }

  async *#chunks(id: number, chunks: number): AsyncGenerator<Chunk> {
    let [part, position] = [-1, -1];
    for (let read = 0; read < chunks; read++) {
      const [row] = await this.#read("nextReportChunk", { id, part, position });
      // The scan may be removed meanwhile. Fail rather than return part of its report.
      if (!(row?.chunk instanceof Uint8Array)) throw new Error(`Scan ${id} was removed`);
      [part, position] = [Number(row.part), Number(row.position)];
      yield new Uint8Array(row.chunk);
    }
  }

  async *#sarifChunks(id: number, version: string): AsyncGenerator<Chunk> {
    using maker = this.#parts.reports.acquire();
    const { remote } = maker;
    const log = await remote.startLog({ database: this.#parts.database, id, version });
    try {
      for (;;) {
        const chunk = await remote.nextOfLog(log);
        if (chunk === undefined) return;
        if (chunk.length > 0) yield new Uint8Array(chunk);
      }
    } finally {
      await remote.endLog(log);
    }
  }

  #read(statement: ScanStatement, parameters: SqlParameters): Promise<SqlRow[]> {
    return this.#parts.statements.read(statement, parameters);
  }
}
