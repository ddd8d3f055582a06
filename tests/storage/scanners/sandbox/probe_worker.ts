/** A worker that probes instead of scanning. */

import { serveRequests } from "../../../../storage/scanners/sandbox/requests.ts";
import { probe } from "./probe.ts";

serveRequests(probe);
