/** A scanner process whose worker is a probe. */

import { serveScans } from "../../../storage/scanners/scanner_process.ts";

await serveScans(new URL("./sandbox/probe_worker.ts", import.meta.url));
