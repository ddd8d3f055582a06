import {
  elementsText,
  REPORT_PARTS,
  type ReportPart,
  type ReportReader,
  sarifText,
} from "../../core/scanner/mod.ts";
import type { SqlRow } from "./dialect.ts";
import type { ScanReader } from "./scan_reports.ts";

/** A stored report to convert. */
export interface SarifRequest {
  /** Where the database is: a path or a URL. */
  readonly database: string;
  /** The id of the scan. */
  readonly id: number;
  /** The version of this program. */
  readonly version: string;
}

interface StartedLog {
  readonly reader: ScanReader;
  readonly texts: AsyncIterator<string>;
}

/** Converts stored reports to SARIF, several of them by turns. Of each, it holds a chunk while it converts it. */
export class SarifMaker {
  readonly #logs = new Map<number, StartedLog>();
  readonly #open: (database: string) => Promise<ScanReader>;
  #keys = 0;

  constructor(open: (database: string) => Promise<ScanReader>) {
    this.#open = open;
  }

  /** Starts a log, until {@link endLog}. Returns its key. */
  async startLog({ database, id, version }: SarifRequest): Promise<number> {
    const reader = await this.#open(database);
    const rows = await reader.rows("reportChunks", { id });
    const texts = sarifText(new StoredReport(reader, id, rows), { version });
    const key = ++this.#keys;
    this.#logs.set(key, { reader, texts });
    return key;
  }

  /**
   * The next chunk of a log, which may be empty, or undefined after the last one.
   *
   * @throws {Error} when the scan was removed meanwhile.
   */
  async nextOfLog(key: number): Promise<Uint8Array | undefined> {
    const log = this.#logs.get(key);
    if (log === undefined) throw new Error(`The log ${key} was not started`);
    const { done, value } = await log.texts.next();
    return done ? undefined : new TextEncoder().encode(value);
  }

  /** Ends a log, finished or not. */
  async endLog(key: number): Promise<void> {
    const log = this.#logs.get(key);
    this.#logs.delete(key);
    await log?.reader[Symbol.asyncDispose]();
  }
}

/** The report of a scan in the database. Between two groups, nothing of it is held: no snapshot either. */
class StoredReport implements ReportReader {
  readonly #reader: ScanReader;
  readonly #id: number;
  /** The positions of the chunks of each part. */
  readonly #positions: ReadonlyMap<number, readonly SqlRow[]>;
  readonly #decoder = new TextDecoder();

  /** @param rows Those of the statement `reportChunks`. */
  constructor(reader: ScanReader, id: number, rows: readonly SqlRow[]) {
    this.#reader = reader;
    this.#id = id;
    this.#positions = Map.groupBy(rows, ({ part }) => Number(part));
  }

  async head(): ReturnType<ReportReader["head"]> {
    const texts = await Array.fromAsync(this.#texts("head"));
    return JSON.parse(`${texts.map(({ text }) => text).join("")}}`);
  }

  async *issues(): ReturnType<ReportReader["issues"]> {
    for await (const { text, ...edges } of this.#texts("issues")) {
      yield JSON.parse(`[${elementsText("issues", text, edges)}]`);
    }
  }

  async *files(): ReturnType<ReportReader["files"]> {
    for await (const { text, ...edges } of this.#texts("file_metadata")) {
      yield Object.entries(JSON.parse(`{${elementsText("file_metadata", text, edges)}}`));
    }
  }

  async *#texts(
    part: ReportPart,
  ): AsyncGenerator<{ text: string; isFirst: boolean; isLast: boolean }> {
    const positions = this.#positions.get(REPORT_PARTS.indexOf(part)) ?? [];
    for (const [index, { part, position }] of positions.entries()) {
      const parameters = { id: this.#id, part: Number(part), position: Number(position) };
      const [row] = await this.#reader.rows("reportChunk", parameters);
      if (!(row?.chunk instanceof Uint8Array)) throw new Error(`Scan ${this.#id} was removed`);
      yield {
        text: this.#decoder.decode(row.chunk),
        isFirst: index === 0,
        isLast: index === positions.length - 1,
      };
    }
  }
}
