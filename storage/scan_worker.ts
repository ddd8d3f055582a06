/** Scans one file, then ends. It may read that file and nothing else. */

import { SCAN_LIMITS } from "../core/scan/limits.ts";
import { scanFile } from "../core/scan/scan_file.ts";
import { SCANNERS } from "../core/scan/scanners/mod.ts";
import { FileSource } from "./file_source.ts";
import type { ScanOrder, ScanReply } from "./scan_sandbox.ts";

/** How many bytes are read between two messages. */
const PROGRESS_BYTES = 64 * 2 ** 20;

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  addEventListener(type: "message", listener: (event: MessageEvent<ScanOrder>) => void): void;
  postMessage(message: ScanReply): void;
}

// The library of types in use is that of the main thread.
const scope = globalThis as unknown as WorkerScope;

scope.addEventListener("message", ({ data: { path, name, skip } }) => {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch (error) {
    scope.postMessage({ kind: "unreadable", problem: String(error) });
    return;
  }
  using _file = file;
  let told = 0;
  const scan = scanFile({
    source: new FileSource(file),
    name,
    scanners: SCANNERS,
    limits: SCAN_LIMITS,
    skip,
    onProgress(bytes) {
      if (bytes - told < PROGRESS_BYTES) return;
      told = bytes;
      scope.postMessage({ kind: "progress", bytes });
    },
  });
  scope.postMessage({ kind: "scanned", scan });
});
