import type { FileScan } from "../core/scan/file_scan.ts";
import { type ContentScanner, type ScanContentOptions, ScanFailure } from "../core/scan/ports.ts";
import type { DirectoryBlobStore } from "./blobs.ts";

/** What a worker is to scan. */
export interface ScanOrder {
  readonly path: string;
  readonly name: string;
  readonly skip: readonly string[];
}

/** What a worker says. */
export type ScanReply =
  | { readonly kind: "progress"; readonly bytes: number }
  | { readonly kind: "scanned"; readonly scan: FileScan }
  | { readonly kind: "unreadable"; readonly problem: string };

export interface SandboxOptions extends ScanContentOptions {
  /** The longest time that the file may take, in milliseconds. */
  readonly timeoutMs: number;
  /** What runs in the sandbox. @default scan_worker.ts */
  readonly module?: URL;
}

/** Scans stored content, each in a sandbox of its own. */
export class SandboxScanner implements ContentScanner {
  readonly #blobs: DirectoryBlobStore;
  readonly #timeoutMs: number;

  constructor(blobs: DirectoryBlobStore, timeoutMs: number) {
    this.#blobs = blobs;
    this.#timeoutMs = timeoutMs;
  }

  scan(
    { hash, name }: { readonly hash: string; readonly name: string },
    options: ScanContentOptions,
  ): Promise<FileScan> {
    const path = this.#blobs.pathOf(hash);
    return scanInSandbox({ ...options, path, name, timeoutMs: this.#timeoutMs });
  }
}

/**
 * Scans the file at a path in a worker that may read this file and nothing else, for as long as it
 * may take (C 15). Whatever the file does to the worker, it does to nobody else.
 *
 * @throws {ScanFailure} where the file can't be read, takes too long or makes the worker fail.
 * @throws the signal's reason where it aborts.
 */
export async function scanInSandbox(
  { path, name, skip, signal, timeoutMs, onProgress, module = SCAN_WORKER }:
    & SandboxOptions
    & ScanOrder,
): Promise<FileScan> {
  signal.throwIfAborted();
  const worker = new Worker(module, {
    type: "module",
    deno: { permissions: { ...NOTHING, read: [path] } },
  });
  const { promise, resolve, reject } = Promise.withResolvers<FileScan>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  const timer = setTimeout(
    () => reject(new ScanFailure(`It took longer than ${timeoutMs / 1000} s to scan`)),
    timeoutMs,
  );
  worker.addEventListener("message", ({ data }: MessageEvent<ScanReply>) => {
    switch (data.kind) {
      case "progress":
        return onProgress?.(data.bytes);
      case "scanned":
        return resolve(data.scan);
      case "unreadable":
        return reject(new ScanFailure("It could not be read", { cause: data.problem }));
    }
  });
  worker.addEventListener("error", (event) => {
    // Otherwise the failure would end the whole process.
    event.preventDefault();
    reject(new ScanFailure("The scan failed on it", { cause: event.message }));
  });
  try {
    worker.postMessage({ path, name, skip } satisfies ScanOrder);
    return await promise;
  } finally {
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

const SCAN_WORKER = new URL("./scan_worker.ts", import.meta.url);

const NOTHING = {
  env: false,
  ffi: false,
  import: false,
  net: false,
  run: false,
  sys: false,
  write: false,
} as const;
