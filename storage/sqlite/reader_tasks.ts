import type { SarifMaker } from "../tables/sarif_maker.ts";
import type { ReportMaker } from "../tables/scan_reports.ts";
import { Reader } from "./reader.ts";

/** Loaded for the first report: it takes 3 MB and 20 ms of a thread. */
const makers = () => import("./report_makers.ts");

/** Makes reports of scans, too: a thread for them would take the memory of another runtime. */
const reports: Pick<
  ReportMaker & SarifMaker,
  "start" | "next" | "end" | "startLog" | "nextOfLog" | "endLog"
> = {
  start: async (scan) => (await makers()).reports.start(scan),
  next: async (id) => (await makers()).reports.next(id),
  end: async (id) => (await makers()).reports.end(id),
  startLog: async (request) => (await makers()).logs.startLog(request),
  nextOfLog: async (key) => (await makers()).logs.nextOfLog(key),
  endLog: async (key) => (await makers()).logs.endLog(key),
};

/** What a thread that reads the database does, with nothing open. */
export function readerTasks(): object {
  return Object.assign(new Reader(), reports);
}
