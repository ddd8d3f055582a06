/** A scanner process that scans by itself, which the supervisor starts where the system ends it with its parent. */

import { serveAlone } from "../storage/scanners/lone_process.ts";

if (import.meta.main) await serveAlone();
