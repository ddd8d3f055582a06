/**
 * Scans files, one after the other. Starts with permission to read, and gives it up before it looks at
 * the first file: files that come as bytes need none, and the one that comes as a path is open by then.
 */

import { type ByteSource, memorySource, scan, ScanStopped } from "../../core/scanner/mod.ts";
import { FileSource } from "./file_source.ts";
import { freezeIntrinsics } from "./freeze_intrinsics.ts";
import { revokePermissions } from "./permissions.ts";
import type { SandboxReply, SandboxRequest } from "./sandbox.ts";
import { MIB } from "../../schemas/units.ts";

/** Progress is reported after this many bytes. */
const PROGRESS_INTERVAL_BYTES = 64 * MIB;

/** The members of a worker's global scope that this module uses. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<SandboxRequest>) => void): void;
  postMessage(message: SandboxReply): void;
}

// The configured type library describes the main thread.
const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("message", ({ data: request }) => {
  const deadline = performance.now() + request.timeoutMs;
  let file: Deno.FsFile | undefined;
  try {
    if ("path" in request) file = Deno.openSync(request.path);
  } catch (error) {
    return scope.postMessage({ kind: "unreadable", problem: String(error) });
  } finally {
    revokePermissions();
  }
  using _file = file;
  const source = "path" in request ? file && new FileSource(file) : memorySource(request.bytes);
  if (source !== undefined) scope.postMessage(scanSource(source, request, deadline));
});

freezeIntrinsics();
scope.postMessage({ kind: "ready" });

function scanSource(
  source: ByteSource,
  { name, skip, stop }: SandboxRequest,
  deadline: number,
): SandboxReply {
  let reported = 0;
  try {
    const result = scan(source, {
      name,
      skip,
      onProgress(bytes) {
        if (bytes - reported < PROGRESS_INTERVAL_BYTES) return;
        reported = bytes;
        scope.postMessage({ kind: "progress", bytes });
      },
      checkpoint() {
        const isStopped = stop !== undefined && Atomics.load(stop, 0) !== 0;
        if (isStopped || performance.now() > deadline) throw new ScanStopped();
      },
    });
    return { kind: "scanned", scan: result };
  } catch (error) {
    if (!(error instanceof ScanStopped)) throw error;
    return { kind: "late" };
  }
}
