import { validateReport } from "../../core/reports.ts";
import { exposeToParent } from "../threads/rpc.ts";
import { makeReport } from "../database/scan_reports.ts";

/** What is done with reports in a thread of its own. */
export interface ReportTasks {
  readonly validateReport: typeof validateReport;
  readonly makeReport: typeof makeReport;
}

exposeToParent({ validateReport, makeReport } satisfies ReportTasks);
