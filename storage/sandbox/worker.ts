/** Scans one file, then ends. It may read that file and nothing else. */

import { scan, ScanStopped } from "../../core/scanner/mod.ts";
import { FileSource } from "./file_source.ts";
import type { ScanOrder, ScanReply } from "./sandbox.ts";
import { MIB } from "../../schemas/units.ts";

/** How many bytes are read between two messages. */
const PROGRESS_BYTES = 64 * MIB;

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<ScanOrder>) => void): void;
  postMessage(message: ScanReply): void;
}

// The library of types in use is that of the main thread.
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
  let told = 0;
  try {
    const result = scan(new FileSource(file), {
      name,
      skip,
      onProgress(bytes) {
        if (bytes - told < PROGRESS_BYTES) return;
        told = bytes;
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
