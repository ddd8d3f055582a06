/** Scans files, one after the other, in a thread. */

import "./substitutes/uint8_array.ts";
import { OPTIONAL_SCANNER_IDS, report } from "../../core/scanner/mod.ts";
import { scan, SCAN_MAXIMA, ScanStopped } from "../../core/scanner/scan.ts";
import { withSource } from "./source.ts";
import { builtin } from "./substitutes/builtin.ts";
import type { ScanReply, ScanRequest } from "./thread.ts";
import type { Report } from "./types.d.ts";

/** The members of a worker's global scope that this module uses in browsers. */
interface WorkerScope {
  onmessage: (event: { readonly data: ScanRequest }) => void;
  postMessage(message: ScanReply): void;
}

const port = builtin("node:worker_threads")?.parentPort;
if (port) port.on("message", (request: ScanRequest) => port.postMessage(replyTo(request)));
else {
  // The type library describes the main thread.
  const scope = globalThis as unknown as WorkerScope;
  scope.onmessage = ({ data }) => scope.postMessage(replyTo(data));
}

function replyTo(request: ScanRequest): ScanReply {
  try {
    return { report: scanned(request) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws {Error} when the content cannot be read. */
function scanned({ name, content, limits, stop }: ScanRequest): Report {
  const startedAt = Date.now();
  const options = {
    name: name.slice(name.lastIndexOf("/") + 1),
    maxima: { ...SCAN_MAXIMA, ...limits },
    checkpoint() {
      if (stop !== undefined && Atomics.load(stop, 0) !== 0) throw new ScanStopped();
    },
  };
  const result = withSource(content, (source) => scan(source, options));
  return report({
    files: [{ path: name, scan: result }],
    startTime: startedAt / 1000,
    duration: (Date.now() - startedAt) / 1000,
    skip: OPTIONAL_SCANNER_IDS,
  });
}
