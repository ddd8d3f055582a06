/** Scans a file in a scanner process that never finishes. The argument is the file. */

import { LocalProcesses } from "../../../cli/supervisor/local_processes.ts";
import { ScannerPool } from "../../../storage/scanners/scanner_pool.ts";

const [path = ""] = Deno.args;
const processes = new LocalProcesses("all", {
  entry: "tests/storage/scanners/probe_scanner",
});
const pool = new ScannerPool({ processes, maxIdle: 1, memoryMB: 512, timeoutMs: 600_000 });
await pool.scan({ path, name: "hang" }, {
  userId: 1,
  memoryLimitMB: 0,
  skip: [],
  signal: new AbortController().signal,
});
