import { ReportMaker } from "../tables/scan_reports.ts";
import { SarifMaker } from "../tables/sarif_maker.ts";
import { openScanReader } from "./scan_reader.ts";

/** Make the reports and logs of this thread. */
export const reports: ReportMaker = new ReportMaker(openScanReader);
export const logs: SarifMaker = new SarifMaker(openScanReader);
