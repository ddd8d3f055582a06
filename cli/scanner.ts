/** The hidden command `scanner`: a scanner process, which the supervisor starts. */

import { serveScans } from "../storage/scanners/scanner_process.ts";

/** Scans files that come on stdin, until it ends. */
export function run(): Promise<never> {
  return serveScans();
}

if (import.meta.main) await run();
