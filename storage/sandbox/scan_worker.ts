/** Scans one file. Runs with permission to read that file and nothing else. */

import { scan, ScanStopped } from "../../core/scanner/mod.ts";
import { FileSource } from "./file_source.ts";
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

scope.addEventListener("message", ({ data: { path, name, skip, timeoutMs, stop } }) => {
  const deadline = performance.now() + timeoutMs;
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch (error) {
    scope.postMessage({ kind: "unreadable", problem: String(error) });
    return;
  }
  using _file = file;
  let reported = 0;
  try {
    const result = scan(new FileSource(file), {
      name,
      skip,
      onProgress(bytes) {
        if (bytes - reported < PROGRESS_INTERVAL_BYTES) return;
        reported = bytes;
        scope.postMessage({ kind: "progress", bytes });
      },
      checkpoint() {
        if (Atomics.load(stop, 0) !== 0 || performance.now() > deadline) throw new ScanStopped();
      },
    });
    scope.postMessage({ kind: "scanned", scan: result });
  } catch (error) {
    if (!(error instanceof ScanStopped)) throw error;
    scope.postMessage({ kind: "late" });
  }
});
