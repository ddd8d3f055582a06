import { validateReport } from "../../core/reports.ts";
import { SarifMaker } from "../database/sarif_maker.ts";
import { ReportMaker } from "../database/scan_reports.ts";
import { exposeToParent } from "../threads/rpc.ts";

const sarif = new SarifMaker();

/** Functions on reports that run in a worker thread, besides those of {@link ReportMaker}. */
const tasks = {
  validateReport,
  startLog: sarif.startLog.bind(sarif),
  nextOfLog: sarif.nextOfLog.bind(sarif),
  endLog: sarif.endLog.bind(sarif),
};
export type ReportTasks = typeof tasks;

exposeToParent(Object.assign(new ReportMaker(), tasks));
