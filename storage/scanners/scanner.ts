import { ScanFailure } from "../../core/scans/ports.ts";
import { FrameDecoder } from "./frames.ts";
import { longestMs, type SandboxOutcome, tooLong, tooSlow } from "./sandbox/sandbox.ts";
import type { ProcessEnd, ProcessStarter, ScannerProcess } from "./processes.ts";
import { parseReply, REPLY_LIMITS, type ScannerReply } from "./replies.ts";
import { maxCpuMs, requestFrame, type ScanRequest } from "./requests.ts";

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface ScannerOptions {
  readonly signal: AbortSignal;
  /** How long after its longest time a scan may still return partial results. */
  readonly graceMs: number;
  /** The process is killed when it uses more, in MB of 2^20 bytes. */
  readonly memoryMB: number;
  /** Receives the number of bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

interface CurrentScan {
  readonly result: PromiseWithResolvers<SandboxOutcome>;
  readonly timeoutMs: number;
  readonly memoryMB: number;
  readonly onProgress: ((bytes: number) => void) | undefined;
}

/** A scanner process, as seen from the server. It scans one file after the other. */
export class Scanner {
  readonly #process: ScannerProcess;
  readonly #decoder = new FrameDecoder(REPLY_LIMITS);
  #current: CurrentScan | undefined;
  /** Why the process is being killed. */
  #failure: { readonly reason: unknown } | undefined;
  #hasEnded = false;
  #scans = 0;
  #residentBytes = 0;

  constructor(starter: ProcessStarter, memoryMB: number) {
    this.#process = starter.start(memoryMB, (bytes) => this.#receive(bytes));
    this.#process.ended.then((end) => {
      this.#hasEnded = true;
      this.#current?.result.reject(
        this.#failure === undefined ? failureOf(end, this.#current) : this.#failure.reason,
      );
    });
  }

  /** Whether it can scan another file. */
  get isUsable(): boolean {
    return !this.#hasEnded && this.#failure === undefined;
  }

  /** The number of scanned files. */
  get scans(): number {
    return this.#scans;
  }

  /** The resident memory of the process after its last scan, by its own account. */
  get residentBytes(): number {
    return this.#residentBytes;
  }

  /**
   * Scans a file, or lists its tensors. Unless it returns an outcome, the process has ended when this settles.
   *
   * @throws {ScanFailure} when the file cannot be read, takes too long or makes the process fail.
   * @throws the reason of the signal when it aborts.
   */
  async run(request: ScanRequest, options: ScannerOptions): Promise<SandboxOutcome> {
    const { signal, graceMs, memoryMB, onProgress } = options;
    const { timeoutMs } = request;
    const result = Promise.withResolvers<SandboxOutcome>();
    this.#current = { result, timeoutMs, memoryMB, onProgress };
    const abort = () => this.#kill(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = setTimeout(
      () => this.#kill(tooLong(timeoutMs)),
      Math.min(longestMs(timeoutMs) + graceMs, MAX_TIMER_MS),
    );
    try {
      this.#process.limit({ maxMB: memoryMB, maxCpuMs: maxCpuMs(request) });
      this.#process.send(requestFrame(request));
      if (signal.aborted) abort();
      return await result.promise;
    } finally {
      this.#current = undefined;
      this.#scans++;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends the process, busy or not. */
  async end(): Promise<void> {
    this.#kill(new ScanFailure("Scanner was stopped"));
    await this.#process.ended;
  }

  #kill(reason: unknown): void {
    this.#failure ??= { reason };
    this.#process.kill();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      for (const { header } of this.#decoder.push(bytes)) this.#settle(parseReply(header));
    } catch (error) {
      this.#kill(new ScanFailure("Scanner gave an invalid reply", { cause: error }));
    }
  }

  #settle(reply: ScannerReply): void {
    if (this.#current === undefined) throw new Error(`Reply "${reply.kind}" without a request`);
    const { result, timeoutMs, onProgress } = this.#current;
    switch (reply.kind) {
      case "progress":
        return onProgress?.(reply.bytes);
      case "scanned":
      case "listed":
        this.#residentBytes = reply.residentBytes;
        this.#current = undefined;
        return result.resolve(reply);
      case "unreadable":
        return this.#kill(new ScanFailure("Content could not be read", { cause: reply.problem }));
      case "late":
        return this.#kill(tooSlow(timeoutMs));
      case "failed":
        return this.#kill(new ScanFailure("Scanner failed", { cause: reply.problem }));
    }
  }
}

function failureOf(
  end: ProcessEnd,
  { memoryMB, timeoutMs }: Pick<CurrentScan, "memoryMB" | "timeoutMs">,
): ScanFailure {
  switch (end.reason) {
    case "memory":
    case "heap":
      return new ScanFailure(`Scanner used more than ${memoryMB} MB of memory`);
    case "cpu":
      return tooSlow(timeoutMs);
    case "exit":
      return new ScanFailure("Scanner process ended unexpectedly", { cause: end.detail });
  }
}
