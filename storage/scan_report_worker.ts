import { serve } from "./rpc.ts";
import { ScanReports } from "./scan_reports.ts";

serve(new ScanReports());
