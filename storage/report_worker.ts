import { validateReport } from "../core/reports.ts";
import { serve } from "./rpc.ts";

/** What is done with reports in a thread of its own. */
export interface ReportTasks {
  readonly validateReport: typeof validateReport;
}

serve({ validateReport } satisfies ReportTasks);
