/** Scans files, or lists their tensors, one after the other, without permissions. */

import { serveRequests } from "./requests.ts";
import { runRequested } from "./run_requested.ts";

serveRequests(runRequested);
