import {
  elementsText,
  REPORT_PARTS,
  type ReportPart,
  type ReportReader,
  sarifText,
} from "../../core/scanner/mod.ts";
import { Connection, type SqlRow } from "./connection.ts";
import { scanRows } from "./scan_statements.ts";

/** A stored report to convert. */
export interface SarifRequest {
  /** The path of the database. */
  readonly database: string;
  /** The id of the scan. */
  readonly id: number;
  /** The version of this program. */
  readonly version: string;
}

interface StartedLog {
  readonly connection: Connection;
  readonly texts: Iterator<string>;
}

/** Converts stored reports to SARIF, several of them by turns. Of each, it holds a chunk while it converts it. */
export class SarifMaker {
  readonly #logs = new Map<number, StartedLog>();
  #keys = 0;

  /** Starts a log, until {@link endLog}. Returns its key. */
  startLog({ database, id, version }: SarifRequest): number {
    const connection = new Connection(database, { readOnly: true });
    const texts = sarifText(new StoredReport(connection, id), { version });
    this.#logs.set(++this.#keys, { connection, texts });
    return this.#keys;
  }

  /**
   * The next chunk of a log, which may be empty, or undefined after the last one.
   *
   * @throws {Error} when the scan was removed meanwhile.
   */
  nextOfLog(key: number): Uint8Array | undefined {
    const log = this.#logs.get(key);
    if (log === undefined) throw new Error(`The log ${key} was not started`);
    const { done, value } = log.texts.next();
    return done ? undefined : new TextEncoder().encode(value);
  }

  /** Ends a log, finished or not. */
  endLog(key: number): void {
    this.#logs.get(key)?.connection[Symbol.dispose]();
    this.#logs.delete(key);
  }
}

/** The report of a scan in the database. Between two groups, nothing of it is held: no snapshot either. */
class StoredReport implements ReportReader {
  readonly #connection: Connection;
  readonly #id: number;
  /** The positions of the chunks of each part. */
  readonly #positions: ReadonlyMap<number, readonly SqlRow[]>;
  readonly #decoder = new TextDecoder();

  constructor(connection: Connection, id: number) {
    this.#connection = connection;
    this.#id = id;
    const rows = scanRows(connection, "reportChunks", { id });
    this.#positions = Map.groupBy(rows, ({ part }) => Number(part));
  }

  head(): ReturnType<ReportReader["head"]> {
    return JSON.parse(`${[...this.#texts("head")].map(({ text }) => text).join("")}}`);
  }

  *issues(): ReturnType<ReportReader["issues"]> {
    for (const { text, ...edges } of this.#texts("issues")) {
      yield JSON.parse(`[${elementsText("issues", text, edges)}]`);
    }
  }

  *files(): ReturnType<ReportReader["files"]> {
    for (const { text, ...edges } of this.#texts("file_metadata")) {
      yield Object.entries(JSON.parse(`{${elementsText("file_metadata", text, edges)}}`));
    }
  }

  *#texts(part: ReportPart): Generator<{ text: string; isFirst: boolean; isLast: boolean }> {
    const positions = this.#positions.get(REPORT_PARTS.indexOf(part)) ?? [];
    for (const [index, { part, position = null }] of positions.entries()) {
      const parameters = { id: this.#id, part: part ?? null, position };
      const [row] = scanRows(this.#connection, "reportChunk", parameters);
      if (!(row?.chunk instanceof Uint8Array)) throw new Error(`Scan ${this.#id} was removed`);
      yield {
        text: this.#decoder.decode(row.chunk),
        isFirst: index === 0,
        isLast: index === positions.length - 1,
      };
    }
  }
}
