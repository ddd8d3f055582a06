/** A scanner process that probes instead of scanning, without a thread for it. */

import { serveAlone } from "../../../storage/scanners/lone_process.ts";
import { probe } from "./sandbox/probe.ts";

await serveAlone(probe);
