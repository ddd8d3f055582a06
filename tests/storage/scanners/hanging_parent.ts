/** Scans a file in a scanner process that never finishes. The arguments are the file and the module of the process. */

import { LocalProcesses } from "../../../cli/supervisor/local_processes.ts";
import { ScannerPool } from "../../../storage/scanners/scanner_pool.ts";

const [path = "", entry = ""] = Deno.args;
const processes = new LocalProcesses("all", { entry });
const pool = new ScannerPool({ processes, maxIdle: 1, memoryMB: 512, timeoutMs: 600_000 });
await pool.scan({ path, name: "hang" }, {
  userId: 1,
  memoryLimitMB: 0,
  skip: [],
  signal: new AbortController().signal,
});
