import { ReportMaker } from "../tables/scan_reports.ts";
import { SarifMaker } from "../tables/sarif_maker.ts";
import { exposeToParent } from "../threads/rpc.ts";
import { Reader } from "./reader.ts";
import { openScanReader } from "./scan_reader.ts";

const reports = new ReportMaker(openScanReader);
const logs = new SarifMaker(openScanReader);

/** Makes reports of scans, too: a thread for them would take the memory of another runtime. */
const tasks = {
  start: reports.start.bind(reports),
  next: reports.next.bind(reports),
  end: reports.end.bind(reports),
  startLog: logs.startLog.bind(logs),
  nextOfLog: logs.nextOfLog.bind(logs),
  endLog: logs.endLog.bind(logs),
};

exposeToParent(Object.assign(new Reader(), tasks));
