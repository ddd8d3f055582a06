import type { ScanReader } from "../tables/scan_reports.ts";
import { Connection } from "./connection.ts";
import { STATEMENTS } from "./statements.ts";

/** Opens a database to report on a scan. */
export function openScanReader(path: string): Promise<ScanReader> {
  const connection = new Connection(path, { readOnly: true });
  return Promise.resolve({
    rows: (statement, parameters) => connection.all(STATEMENTS.scans[statement], parameters),
    [Symbol.asyncDispose]: () => Promise.resolve(connection[Symbol.dispose]()),
  });
}
