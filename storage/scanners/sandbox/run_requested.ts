import { scan, ScanStopped } from "../../../core/scanner/scan.ts";
import { listTensors } from "../../../core/scanner/tensors.ts";
import { PROGRESS_INTERVAL_BYTES } from "../../../core/scans/ports.ts";
import { isStopped, type RequestedScan } from "./requests.ts";
import type { SandboxReply } from "./sandbox.ts";

/** Scans a file, or lists its tensors, as a request asks for. */
export function runRequested(requested: RequestedScan): SandboxReply {
  const { request, isLate } = requested;
  const { listsTensors = false } = request;
  const checkpoint = () => {
    if (isStopped(request) || isLate()) throw new ScanStopped();
  };
  try {
    return listsTensors
      ? listRequested(requested, checkpoint)
      : scanRequested(requested, checkpoint);
  } catch (error) {
    if (!(error instanceof ScanStopped)) throw error;
    return { kind: "late" };
  }
}

function listRequested(
  { source, request: { name, maxima } }: RequestedScan,
  checkpoint: () => void,
): SandboxReply {
  return { kind: "listed", list: listTensors(source, { name, maxima, checkpoint }) };
}

function scanRequested(
  { source, request, post }: RequestedScan,
  checkpoint: () => void,
): SandboxReply {
  const { name, skip, needsMd5, maxima } = request;
  let reported = 0;
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
    checkpoint,
  });
  return { kind: "scanned", scan: result };
}
