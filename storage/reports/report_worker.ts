import { validateReport } from "../../core/reports.ts";
import { exposeToParent } from "../threads/rpc.ts";
import { makeReport } from "../database/scan_reports.ts";

/** Functions on reports that run in a worker thread. */
export interface ReportTasks {
  readonly validateReport: typeof validateReport;
  readonly makeReport: typeof makeReport;
}

exposeToParent({ validateReport, makeReport } satisfies ReportTasks);
