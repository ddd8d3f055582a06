import type { FileResult, ScanMaxima, TensorList } from "../../../core/scanner/mod.ts";
import type { TensorReader, TensorReadOptions } from "../../../core/compare/ports.ts";
import {
  type ArrivingFile,
  type ArrivingScanner,
  type ContentScanner,
  type ScanContentOptions,
  ScanFailure,
} from "../../../core/scans/ports.ts";
import type { ContentFiles } from "../../content/content_store.ts";
import { WORKERS } from "../../threads/workers.ts";
import { READ_ONLY } from "./permissions.ts";

/** The message that starts a scan in a worker. */
export type SandboxRequest =
  & ScanTask
  & (
    | { readonly path: string }
    | { readonly bytes: Uint8Array<ArrayBuffer> }
  );

/** What a scan needs besides the content. */
export interface ScanTask {
  readonly name: string;
  /** How many bytes the file has once all of it has come in. @default it has come in */
  readonly size?: number | undefined;
  /** Whether its tensors are to be listed, and nothing is to be scanned. @default false */
  readonly listsTensors?: boolean | undefined;
  readonly skip: readonly string[];
  /** Whether large content needs MD5, too: stored content is checked by it. @default false */
  readonly needsMd5?: boolean | undefined;
  /** The CPU time that the scan may use. */
  readonly timeoutMs: number;
  /** How much more its process may use before it is ended. @default 5000 */
  readonly cpuGraceMs?: number | undefined;
  /** What the limits of a large file may grow to. @default those of the scanner */
  readonly maxima?: ScanMaxima | undefined;
  /** Nonzero tells the worker to stop. */
  readonly stop?: Int32Array<SharedArrayBuffer>;
}

/** How long a scan may take, and what it may read. */
export type ScanBounds = Pick<ScanTask, "timeoutMs"> & { readonly maxima: ScanMaxima };

/** A message from the worker. */
export type SandboxReply =
  /** The worker has loaded its modules. */
  | { readonly kind: "ready" }
  | { readonly kind: "progress"; readonly bytes: number }
  | { readonly kind: "scanned"; readonly scan: FileResult }
  | { readonly kind: "listed"; readonly list: TensorList }
  | { readonly kind: "unreadable"; readonly problem: string }
  /** The scan was stopped before the content was hashed. */
  | { readonly kind: "late" };

export interface SandboxOptions extends Omit<ScanContentOptions, "userId" | "memoryLimitMB"> {
  readonly path: string;
  readonly name: string;
  /** How many bytes the file has once all of it has come in. @default it has come in */
  readonly size?: number | undefined;
  /** Whether its tensors are to be listed, and nothing is to be scanned. @default false */
  readonly listsTensors?: boolean | undefined;
  /** The CPU time that the scan may use. */
  readonly timeoutMs: number;
  readonly maxima?: ScanMaxima;
  /** How long the worker may take after the longest time of a scan. @default 10000 */
  readonly graceMs?: number;
  /** The module that runs in the sandbox. @default `WORKERS.scan` */
  readonly module?: URL;
}

/** Scans content in threads of this process, a new one each time. */
export class ThreadScanner implements ContentScanner, ArrivingScanner, TensorReader {
  readonly #blobs: ContentFiles;
  readonly #bounds: ScanBounds;

  constructor(blobs: ContentFiles, bounds: ScanBounds) {
    this.#blobs = blobs;
    this.#bounds = bounds;
  }

  async scan(
    { hash, name }: { readonly hash: string; readonly name: string },
    options: ScanContentOptions,
  ): Promise<FileResult> {
    await using file = await this.#blobs.fileOf(hash);
    return scannedOf(
      await runInSandbox({
        ...options,
        path: file.path,
        name,
        ...this.#bounds,
      }),
    );
  }

  async scanArriving(file: ArrivingFile, options: ScanContentOptions): Promise<FileResult> {
    return scannedOf(await runInSandbox({ ...options, ...file, ...this.#bounds }));
  }

  async listTensors(
    { hash, name }: { readonly hash: string; readonly name: string },
    { signal }: TensorReadOptions,
  ): Promise<TensorList> {
    await using file = await this.#blobs.fileOf(hash);
    const task = { path: file.path, name, skip: [], listsTensors: true };
    const outcome = await runInSandbox({ ...task, signal, ...this.#bounds });
    if (outcome.kind === "listed") return outcome.list;
    throw new Error("The sandbox has scanned content in place of listing its tensors");
  }
}

/** How work in a sandbox ends, unless it fails. */
export type SandboxOutcome = Extract<SandboxReply, { readonly kind: "scanned" | "listed" }>;

/** Scans a file: see {@link runInSandbox}. */
export async function scanInSandbox(options: SandboxOptions): Promise<FileResult> {
  return scannedOf(await runInSandbox(options));
}

function scannedOf(outcome: SandboxOutcome): FileResult {
  if (outcome.kind === "scanned") return outcome.scan;
  throw new Error("The sandbox has listed tensors in place of a scan");
}

/**
 * Scans a file in a worker that has permission to read this file and nothing else (C 15). When it has
 * used its CPU time, returns what was found until then.
 *
 * In Deno 2.9.6, `terminate` does not end a worker that is busy, only one that waits. Therefore this
 * function also sets `stop`, which the worker checks each time it reads the file.
 *
 * @throws {ScanFailure} when the file cannot be read, takes too long or makes the worker fail.
 * @throws the reason of the signal when it aborts.
 */
async function runInSandbox(options: SandboxOptions): Promise<SandboxOutcome> {
  const { path, name, size, listsTensors, needsMd5, skip, signal, timeoutMs, maxima } = options;
  const { onProgress, graceMs = DEFAULT_GRACE_MS, module = WORKERS.scan } = options;
  signal.throwIfAborted();
  const worker = new Worker(module, {
    type: "module",
    deno: { permissions: { ...READ_ONLY, read: [path] } },
  });
  const { promise, resolve, reject } = Promise.withResolvers<SandboxOutcome>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  const timer = setTimeout(
    () => reject(tooLong(timeoutMs)),
    Math.min(longestMs(timeoutMs) + graceMs, MAX_TIMER_MS),
  );
  const stop = new Int32Array(new SharedArrayBuffer(4));
  worker.addEventListener("message", ({ data }: MessageEvent<SandboxReply>) => {
    switch (data.kind) {
      case "ready":
        return;
      case "progress":
        return onProgress?.(data.bytes);
      case "scanned":
      case "listed":
        return resolve(data);
      case "unreadable":
        return reject(new ScanFailure("Content could not be read", { cause: data.problem }));
      case "late":
        return reject(tooSlow(timeoutMs));
    }
  });
  worker.addEventListener("error", (event) => {
    // An unhandled error of a worker ends the whole process.
    event.preventDefault();
    reject(new ScanFailure("Scanner failed", { cause: event.message }));
  });
  try {
    const task = { path, name, size, listsTensors, skip, needsMd5, timeoutMs, maxima, stop };
    worker.postMessage(task satisfies SandboxRequest);
    return await promise;
  } finally {
    Atomics.store(stop, 0, 1);
    worker.terminate();
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** How often as long as its CPU time a scan may take, so that a disk that stalls cannot hold it for ever. */
const MAX_SLOWNESS = 4;

/** How long a scan may take that may use so much CPU time, both in milliseconds. */
export function longestMs(timeoutMs: number): number {
  return timeoutMs * MAX_SLOWNESS;
}

/** The failure of a scan that took longer than {@link longestMs}. */
export function tooLong(timeoutMs: number): ScanFailure {
  return new ScanFailure(`Scan took longer than ${longestMs(timeoutMs) / 1000} s`);
}

/** The failure of a scan that used its CPU time before its content was hashed. */
export function tooSlow(timeoutMs: number): ScanFailure {
  return new ScanFailure(`Scan used more than ${timeoutMs / 1000} s of CPU time`);
}

const DEFAULT_GRACE_MS = 10_000;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
