import type { FileResult, ScanMaxima, TensorList } from "../../core/scanner/mod.ts";
import type { TensorReadOptions } from "../../core/compare/ports.ts";
import { type ScanContentOptions, ScanFailure } from "../../core/scans/ports.ts";
import { MIB } from "../../schemas/units.ts";
import type { ProcessStarter } from "./processes.ts";
import { MAX_SENT_BYTES } from "./requests.ts";
import type { SandboxOutcome, ScanTask } from "./sandbox/sandbox.ts";
import { Scanner } from "./scanner.ts";

const DEFAULT_GRACE_MS = 10_000;
const DEFAULT_IDLE_MS = 10_000;
/** A process is replaced after this many files. */
const MAX_SCANS = 1000;
/** A process that holds more between scans is replaced: others may need the memory. */
const MAX_RESIDENT_BYTES = 160 * MIB;

export interface ScannerPoolOptions {
  readonly processes: ProcessStarter;
  /** The most idle processes. */
  readonly maxIdle: number;
  /** The memory limit of a process, in MB of 2^20 bytes. A lease may lower it for a scan. */
  readonly memoryMB: number;
  /** The CPU time that a scan may use. */
  readonly timeoutMs: number;
  /** What the limits of a large file may grow to. @default those of the scanner */
  readonly maxima?: ScanMaxima;
  /** How long after its longest time a scan may return partial results. @default 10000 */
  readonly graceMs?: number;
  /** How much more CPU time than its limits say the process of a scan may use. @default 5000 */
  readonly cpuGraceMs?: number;
  /** How long an idle process is kept. @default 10000 */
  readonly idleMs?: number;
}

/** A file to scan. */
export interface FileToScan {
  readonly path: string;
  readonly name: string;
  /** How many bytes it has once all of it has come in. @default it has come in */
  readonly size?: number | undefined;
}

interface IdleScanner {
  readonly scanner: Scanner;
  readonly userId: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Scans files in processes. A process is used again for files of the same user only, and a file too
 * large to be sent is read by a process that has scanned no other file.
 * See docs/design/scans.md.
 */
export class ScannerPool implements AsyncDisposable {
  readonly #options: ScannerPoolOptions;
  /** In the order in which they became idle. */
  #idle: IdleScanner[] = [];
  readonly #busy = new Set<Scanner>();

  constructor(options: ScannerPoolOptions) {
    this.#options = options;
  }

  /**
   * Scans a file. Settles when nothing of the scan is left but a process that waits for another file.
   *
   * @throws {ScanFailure} when the file cannot be scanned completely.
   * @throws the reason of the signal when it aborts.
   */
  async scan(
    file: FileToScan,
    { skip, needsMd5, ...options }: ScanContentOptions,
  ): Promise<FileResult> {
    const outcome = await this.#run(file, { skip, needsMd5 }, options);
    if (outcome.kind === "scanned") return outcome.scan;
    throw new ScanFailure("Scanner listed tensors in place of a scan");
  }

  /**
   * Lists the tensors of a file, as {@link scan} scans it.
   *
   * @throws {ScanFailure} when the file cannot be read completely.
   * @throws the reason of the signal when it aborts.
   */
  async listTensors(file: FileToScan, options: TensorReadOptions): Promise<TensorList> {
    const outcome = await this.#run(file, { skip: [], listsTensors: true }, options);
    if (outcome.kind === "listed") return outcome.list;
    throw new ScanFailure("Scanner scanned in place of listing tensors");
  }

  async #run(
    { path, name, size }: FileToScan,
    task: Pick<ScanTask, "skip" | "needsMd5" | "listsTensors">,
    { userId, memoryLimitMB, signal, onProgress }: Omit<ScanContentOptions, "skip" | "needsMd5">,
  ): Promise<SandboxOutcome> {
    const { timeoutMs, cpuGraceMs, maxima, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const sent = size === undefined ? await readSmall(path) : undefined;
    const content = sent ?? path;
    signal.throwIfAborted();
    const scanner = (typeof content === "string" ? undefined : this.#takeIdle(userId)) ??
      this.#start();
    this.#busy.add(scanner);
    try {
      return await scanner.run({ content, name, size, ...task, timeoutMs, cpuGraceMs, maxima }, {
        signal,
        graceMs,
        memoryMB: memoryLimitMB > 0 ? memoryLimitMB : this.#options.memoryMB,
        ...(onProgress !== undefined && { onProgress }),
      });
    } finally {
      this.#busy.delete(scanner);
      if (scanner.isUsable) await this.#keep(scanner, userId);
    }
  }

  /** Ends all processes. */
  async [Symbol.asyncDispose](): Promise<void> {
    const idle = this.#idle.splice(0);
    for (const { timer } of idle) clearTimeout(timer);
    const scanners = [...this.#busy, ...idle.map(({ scanner }) => scanner)];
    await Promise.all(scanners.map((it) => it.end()));
  }

  #takeIdle(userId: number): Scanner | undefined {
    const found = this.#idle.find((it) => it.userId === userId && it.scanner.isUsable);
    if (found === undefined) return undefined;
    this.#forget(found);
    return found.scanner;
  }

  /** Starts a process, in place of the one that has been idle longest if there are enough. */
  #start(): Scanner {
    this.#endIdle(this.#options.maxIdle - 1);
    try {
      return new Scanner(this.#options.processes, this.#options.memoryMB);
    } catch (error) {
      throw new ScanFailure("Scanner process could not be started", { cause: error });
    }
  }

  async #keep(scanner: Scanner, userId: number): Promise<void> {
    const { maxIdle, idleMs = DEFAULT_IDLE_MS } = this.#options;
    const isWorn = scanner.scans >= MAX_SCANS || scanner.residentBytes > MAX_RESIDENT_BYTES;
    if (isWorn) return await scanner.end();
    const entry: IdleScanner = {
      scanner,
      userId,
      timer: setTimeout(() => {
        this.#forget(entry);
        scanner.end();
      }, idleMs),
    };
    this.#idle.push(entry);
    this.#endIdle(maxIdle);
  }

  /** Ends the processes that have been idle longest, until at most `count` are. */
  #endIdle(count: number): void {
    for (const entry of this.#idle.slice(0, Math.max(0, this.#idle.length - count))) {
      this.#forget(entry);
      entry.scanner.end();
    }
  }

  #forget(entry: IdleScanner): void {
    clearTimeout(entry.timer);
    this.#idle = this.#idle.filter((it) => it !== entry);
  }
}

/**
 * The content of a file that is small enough to be sent; undefined if it is larger.
 *
 * @throws {ScanFailure} when the file cannot be read.
 */
async function readSmall(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    using file = await Deno.open(path);
    // fstat needs permission for the target of a link, seeking only for the name that was opened.
    const size = await file.seek(0, Deno.SeekMode.End);
    if (size > MAX_SENT_BYTES) return undefined;
    await file.seek(0, Deno.SeekMode.Start);
    const bytes = new Uint8Array(size);
    let filled = 0;
    while (filled < size) {
      const read = await file.read(bytes.subarray(filled));
      if (read === null) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  } catch (error) {
    throw new ScanFailure("Content could not be read", { cause: error });
  }
}
