import { validateReport } from "../../core/reports.ts";
import { exposeToParent } from "../threads/rpc.ts";
import {
  type ReportChunk,
  ReportMaker,
  type ReportTotals,
  type ScanToReport,
} from "../database/scan_reports.ts";

/** Functions on reports that run in a worker thread. */
export interface ReportTasks {
  readonly validateReport: typeof validateReport;
  /** Starts the report that {@link ReportTasks.nextChunk} continues. One at a time in a worker. */
  readonly startReport: (scan: ScanToReport) => boolean;
  readonly nextChunk: () => ReportChunk | ReportTotals;
}

const maker = new ReportMaker();

exposeToParent(
  {
    validateReport,
    startReport: (scan) => maker.start(scan),
    nextChunk: () => maker.next(),
  } satisfies ReportTasks,
);
