/** The hidden command `scanner`: a scanner process, which the supervisor starts. */

import { serveScans } from "../storage/scanners/scanner_process.ts";

/** Scans files that come on stdin, until it ends. */
export async function run(): Promise<number> {
  await serveScans();
  return 0;
}

if (import.meta.main) Deno.exit(await run());
