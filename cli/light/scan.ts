/**
 * The command line with `scan` only: a program of its own, as cli/light/main.ts is. It starts without
 * reading the modules of the server.
 */

import { runCommand } from "./run_command.ts";

if (import.meta.main) {
  Deno.exit(await runCommand({ scan: () => import("../scan/scan.ts") }, Deno.args));
}
