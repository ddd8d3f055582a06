import { validateReport } from "../../core/reports.ts";
import { ReportMaker } from "../database/scan_reports.ts";
import { exposeToParent } from "../threads/rpc.ts";

/** Functions on reports that run in a worker thread, besides those of {@link ReportMaker}. */
export interface ReportTasks {
  readonly validateReport: typeof validateReport;
}

exposeToParent(Object.assign(new ReportMaker(), { validateReport } satisfies ReportTasks));
