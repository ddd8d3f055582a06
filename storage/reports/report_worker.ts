import { validateReport } from "../../core/reports.ts";
import { SarifMaker } from "../tables/sarif_maker.ts";
import { ReportMaker, type ScanReader } from "../tables/scan_reports.ts";
import { exposeToParent } from "../threads/rpc.ts";

/** Connects to PostgreSQL. The thread that reads a SQLite file makes the reports of its scans. */
async function open(database: string): Promise<ScanReader> {
  const postgres = await import("../postgres/scan_reader.ts");
  return await postgres.openScanReader(database);
}

const sarif = new SarifMaker(open);

/** Functions on reports that run in a worker thread, besides those of {@link ReportMaker}. */
const tasks = {
  validateReport,
  startLog: sarif.startLog.bind(sarif),
  nextOfLog: sarif.nextOfLog.bind(sarif),
  endLog: sarif.endLog.bind(sarif),
};
export type ReportTasks = typeof tasks;

exposeToParent(Object.assign(new ReportMaker(open), tasks));
