import type { StagedBlob } from "../blob_store.ts";
import { untilAborted } from "../event_loop.ts";
import { asError, type Log } from "../log.ts";
import type { FileResult } from "../scanner/mod.ts";
import type { NamedContent } from "../verdicts.ts";
import { MIB } from "../../schemas/units.ts";
import type { ArrivingFile, ArrivingScanner, ResultKey, ScanStore } from "./ports.ts";
import { laneOf, type ScanLeases } from "./scan_leases.ts";
import { DEFAULT_SKIP } from "./selection.ts";
import type { ContentOutcome, SharedScans } from "./shared_scans.ts";
import type { ScanTotals } from "./totals.ts";

/** What is not larger is scanned in less time than a scanner takes to start. */
const MAX_LATE_BYTES = 16 * MIB;
/** A scan begins when the rest of the file is expected within this time, so that it waits for little. */
const SOON_MS = 30_000;
/** It ends if the rest has not come after this time: others need its lease. */
const MAX_WAIT_MS = 60_000;

/** The reason for aborting a scan whose result is no longer needed. */
const GIVEN_UP = new DOMException("The scan was given up", "AbortError");

export interface EarlyScanOptions {
  readonly scans: Pick<ScanStore, "keepContentResult">;
  readonly files: ArrivingScanner;
  readonly leases: ScanLeases;
  readonly shared: SharedScans;
  readonly totals: ScanTotals;
  readonly log: Log;
  /** Whether requested scans leave room for another file. */
  readonly hasRoom: () => boolean;
  /** Tells the user of content that there is a verdict on it. */
  readonly publish: (content: NamedContent) => Promise<void>;
  /** After how long it is given up if the file is not whole, in milliseconds. @default 60 s */
  readonly maxWaitMs?: number | undefined;
}

/**
 * A scan of a file that begins while it comes in, so that the verdict is there when the file is. Whatever keeps
 * it from its end, the file is scanned as any other that has arrived.
 * See docs/design/mirror.md.
 */
export class EarlyScan implements AsyncDisposable {
  readonly #options: EarlyScanOptions;
  readonly #file: ArrivingFile & { readonly userId: number };
  readonly #abort = new AbortController();
  readonly #began = performance.now();
  /** Its result; undefined if it has failed. */
  #scanned: Promise<FileResult | undefined> | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;
  readonly #stored = Promise.withResolvers<void>();
  /** When all of the file had come in. */
  #wholeAt = 0;
  #kept: Promise<unknown> | undefined;

  constructor(options: EarlyScanOptions, file: ArrivingFile & { readonly userId: number }) {
    this.#options = options;
    this.#file = file;
  }

  /** Says how much of the file has come in. Begins to scan once it is time to. */
  arrived(bytes: number): void {
    if (this.#scanned !== undefined || !this.#isTime(bytes)) return;
    const { maxWaitMs = MAX_WAIT_MS } = this.#options;
    this.#limit = setTimeout(() => this.#abort.abort(GIVEN_UP), maxWaitMs);
    this.#scanned = this.#scan();
  }

  /** Says which content the file has, before a record has it: other scans of it wait for this one. */
  isWhole({ hash }: Pick<StagedBlob, "hash">): void {
    clearTimeout(this.#limit);
    const { signal } = this.#abort;
    if (this.#scanned === undefined || signal.aborted) return;
    this.#wholeAt = performance.now();
    const { userId, name } = this.#file;
    const key = { userId, hash, name, skip: DEFAULT_SKIP };
    const { shared, log } = this.#options;
    this.#kept = shared.run(key, signal, () => this.#keep(key)).catch((error) => {
      if (!signal.aborted) log.warn("Cannot keep a result", { hash, error: asError(error) });
    });
  }

  /**
   * Says that a record has the content. Resolves when its result is kept, or nothing comes of this scan.
   *
   * @throws the reason of the signal when it aborts first.
   */
  async stored(signal: AbortSignal): Promise<void> {
    this.#stored.resolve();
    await untilAborted(Promise.resolve(this.#kept), signal);
  }

  /** Ends the scan. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#limit);
    this.#abort.abort(GIVEN_UP);
    await Promise.allSettled([this.#scanned, this.#kept]);
  }

  #isTime(bytes: number): boolean {
    const { size } = this.#file;
    const restMs = (performance.now() - this.#began) * (size - bytes) / bytes;
    return size > MAX_LATE_BYTES && restMs <= SOON_MS && this.#options.hasRoom();
  }

  async #scan(): Promise<FileResult | undefined> {
    const { leases, files, log } = this.#options;
    const { userId, ...file } = this.#file;
    const { signal } = this.#abort;
    try {
      using lease = await leases.acquire(laneOf(file.size), signal);
      const { memoryLimitMB } = lease;
      return await files.scanArriving(file, { userId, memoryLimitMB, skip: DEFAULT_SKIP, signal });
    } catch (error) {
      if (!signal.aborted) {
        log.warn("Cannot scan a file while it comes in", {
          ...{ name: file.name, error: asError(error) },
        });
      }
      return undefined;
    }
  }

  /** Keeps the result, which the store does if it is that of the content that it has. */
  async #keep(key: ResultKey): Promise<ContentOutcome> {
    const { scans, totals, publish } = this.#options;
    const result = await this.#scanned;
    const seconds = (performance.now() - this.#wholeAt) / 1000;
    await untilAborted(this.#stored.promise, this.#abort.signal);
    if (result === undefined) return { isShared: false };
    const hashes = { md5: key.hash, ...result.hashes };
    // Without its duration, which is that of the network: it says nothing about other scans.
    const isShared = await scans.keepContentResult(key, { ...result, hashes });
    if (!isShared) return { isShared };
    totals.addFile(result, { size: this.#file.size, seconds });
    await publish(key);
    return { isShared };
  }
}
