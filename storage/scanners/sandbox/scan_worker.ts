/** Scans files, one after the other, without permissions. */

import { scan, ScanStopped } from "../../../core/scanner/scan.ts";
import { PROGRESS_INTERVAL_BYTES } from "../../../core/scans/ports.ts";
import { type RequestedScan, serveRequests } from "./requests.ts";
import type { SandboxReply } from "./sandbox.ts";

serveRequests(scanRequested);

function scanRequested({ source, request, isLate, post }: RequestedScan): SandboxReply {
  const { name, skip, needsMd5, maxima, stop } = request;
  let reported = 0;
  try {
    const result = scan(source, {
      name,
      skip,
      needsMd5,
      ...(maxima !== undefined && { maxima }),
      onProgress(bytes) {
        if (bytes - reported < PROGRESS_INTERVAL_BYTES) return;
        reported = bytes;
        post({ kind: "progress", bytes });
      },
      checkpoint() {
        const isStopped = stop !== undefined && Atomics.load(stop, 0) !== 0;
        if (isStopped || isLate()) throw new ScanStopped();
      },
    });
    return { kind: "scanned", scan: result };
  } catch (error) {
    if (!(error instanceof ScanStopped)) throw error;
    return { kind: "late" };
  }
}
