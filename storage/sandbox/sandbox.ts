import type { FileResult } from "../../core/scanner/mod.ts";
import {
  type ContentScanner,
  type ScanContentOptions,
  ScanFailure,
} from "../../core/scans/ports.ts";
import type { DirectoryBlobStore } from "../blobs/directory_blob_store.ts";
import { WORKERS } from "../threads/workers.ts";

/** What a worker is to scan. */
export interface ScanOrder {
  readonly path: string;
  readonly name: string;
  readonly skip: readonly string[];
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Is set to another number than 0 where it is to end. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** What a worker says. */
export type ScanReply =
  | { readonly kind: "progress"; readonly bytes: number }
  | { readonly kind: "scanned"; readonly scan: FileResult }
  | { readonly kind: "unreadable"; readonly problem: string }
  /** The time was over before the content was hashed. */
  | { readonly kind: "late" };

export interface SandboxOptions extends ScanContentOptions, Pick<ScanOrder, "path" | "name"> {
  /** The longest time that the file may take, in milliseconds. */
  readonly timeoutMs: number;
  /** How much longer it has to say what it has found until then, in milliseconds. @default 10000 */
  readonly graceMs?: number;
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
  ): Promise<FileResult> {
    const path = this.#blobs.pathOf(hash);
    return scanInSandbox({ ...options, path, name, timeoutMs: this.#timeoutMs });
  }
}

/**
 * Scans the file at a path in a worker that may read this file and nothing else, for as long as it
 * may take (C 15). What was found until its time was over is told.
 *
 * To terminate a worker of Deno 2.9.6 ends it only when it waits: one that is busy goes on. It is asked
 * to end as well, which it does at its next look at the file.
 *
 * @throws {ScanFailure} where the file can't be read, takes too long or makes the worker fail.
 * @throws the signal's reason where it aborts.
 */
export async function scanInSandbox(
  options: SandboxOptions,
): Promise<FileResult> {
  const { path, name, skip, signal, timeoutMs, onProgress } = options;
  const { graceMs = GRACE_MS, module = WORKERS.scan } = options;
  signal.throwIfAborted();
  const worker = new Worker(module, {
    type: "module",
    deno: { permissions: { ...NOTHING, read: [path] } },
  });
  const { promise, resolve, reject } = Promise.withResolvers<FileResult>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  const late = () => reject(new ScanFailure(`It took longer than ${timeoutMs / 1000} s to scan`));
  const timer = setTimeout(late, Math.min(timeoutMs + graceMs, MAX_TIMER_MS));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  worker.addEventListener("message", ({ data }: MessageEvent<ScanReply>) => {
    switch (data.kind) {
      case "progress":
        return onProgress?.(data.bytes);
      case "scanned":
        return resolve(data.scan);
      case "unreadable":
        return reject(new ScanFailure("It could not be read", { cause: data.problem }));
      case "late":
        return late();
    }
  });
  worker.addEventListener("error", (event) => {
    // Otherwise the failure would end the whole process.
    event.preventDefault();
    reject(new ScanFailure("The scan failed on it", { cause: event.message }));
  });
  try {
    worker.postMessage({ path, name, skip, timeoutMs, stop } satisfies ScanOrder);
    return await promise;
  } finally {
    Atomics.store(stop, 0, 1);
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

const GRACE_MS = 10_000;
/** A timer of more would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const NOTHING = {
  env: false,
  ffi: false,
  import: false,
  net: false,
  run: false,
  sys: false,
  write: false,
} as const;
