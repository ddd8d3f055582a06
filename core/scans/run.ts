import type { HostCapacity } from "../capacity/overview.ts";
import type { EventSink } from "../events.ts";
import { pause } from "../event_loop.ts";
import { asError } from "../log.ts";
import type { NamedContent } from "../verdicts.ts";
import { type ResultKey, type Scan, type ScanEvent, ScanFailure, type ScanFile } from "./ports.ts";
import { type ContentScanParts, logFailure, scanContent } from "./scan_content.ts";
import { givesVerdict } from "./selection.ts";
import type { ContentOutcome, SharedScans } from "./shared_scans.ts";

/** The shortest time between two progress events of one scan. */
const PROGRESS_INTERVAL_MS = 1000;

/** How often to look whether another server has scanned a content. */
const ELSEWHERE_POLL_MS = 1000;

/** The abort reason when the server stops. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

/** The abort reason when the scan is canceled. */
const CANCELED = new DOMException("The scan was canceled", "AbortError");

/** What a {@link ScanRun} works with. */
export interface ScanRunOptions extends ContentScanParts {
  readonly host: HostCapacity;
  /** The contents that any scan is reading. */
  readonly shared: SharedScans;
  readonly events: EventSink<ScanEvent>;
  /** How often to look at the host, the queue, and what other servers scan, in milliseconds. */
  readonly pollIntervalMs?: number | undefined;
  /** Called after the verdict on content may have changed. @default does nothing */
  readonly onVerdict?: ((content: NamedContent) => void) | undefined;
}

/** A running scan: its files are scanned in parallel, each under a lease (C 15). */
export class ScanRun {
  /** When the host admitted the scan, in milliseconds since the Unix epoch. */
  readonly admittedAt = Date.now();
  readonly #options: ScanRunOptions;
  readonly #abort = new AbortController();
  /** Bytes read so far of each file that is being scanned, by path. */
  readonly #bytesRead = new Map<string, number>();
  /** Counts finished files only; {@link current} adds the files in progress. */
  #scan: Scan;
  #progressPublishedAt = 0;

  constructor(options: ScanRunOptions, queued: Scan) {
    this.#options = options;
    this.#scan = { ...queued, status: "running", startedAt: this.admittedAt };
  }

  /** The scan, with the bytes read of unfinished files. */
  get current(): Scan {
    const bytes = this.#bytesRead.values().reduce((sum, read) => sum + read, 0);
    return { ...this.#scan, bytesScanned: this.#scan.bytesScanned + bytes };
  }

  /** Ends the scan as canceled. */
  cancel(): void {
    this.#abort.abort(CANCELED);
  }

  /** Interrupts the scan, and leaves its end to who runs it next. */
  stop(): void {
    this.#abort.abort(STOPPING);
  }

  /**
   * Scans the files. Returns the finished scan, or undefined if it stays unfinished in the store and
   * another server or the next start queues it again. Never rejects.
   */
  async execute(): Promise<Scan | undefined> {
    const { scans, log } = this.#options;
    const { id } = this.#scan;
    try {
      await scans.start(id, this.admittedAt);
      this.#publish("scan.started", this.#scan);
      await this.#scanFiles();
      return await scans.complete(id, Date.now(), this.#abort.signal);
    } catch (error) {
      if (error === STOPPING) return undefined;
      try {
        if (error === CANCELED) return await scans.end(this.#scan, "cancelled", Date.now());
        log.error("Scan failed", { scan: id, error: asError(error) });
        const reason = error instanceof ScanFailure ? error.message : "Internal error; see the log";
        return await scans.end(this.#scan, "failed", Date.now(), reason);
      } catch (another) {
        log.error("Cannot record the end of a scan", { scan: id, error: asError(another) });
        return undefined;
      }
    }
  }

  /** Scans as many files at once as the host has cores; leases may allow fewer. */
  async #scanFiles(): Promise<void> {
    const { scans, host } = this.#options;
    const files = scans.files(this.#scan.id);
    const cores = Math.max(1, host.stats().CPUCores);
    await inParallel(files, cores, this.#abort, (file) => this.#scanFile(file));
  }

  /** Scans a file, or records why it cannot be scanned. */
  async #scanFile(file: ScanFile): Promise<void> {
    const { scans, shared } = this.#options;
    const { signal } = this.#abort;
    const { id, skip } = this.#scan;
    signal.throwIfAborted();
    const { userId, hash, name } = file;
    const key = { userId, hash, name, skip };
    let isOwn = false;
    const { failure } = await shared.run(key, signal, () => {
      isOwn = true;
      return this.#scanContent(file, key);
    });
    if (failure !== undefined && !isOwn) await scans.failFile(id, file.path, failure);
    this.#advance(file);
  }

  /** Scans the content of a file, unless a result is kept already. */
  async #scanContent(file: ScanFile, key: ResultKey): Promise<ContentOutcome> {
    const { scans, log, onVerdict, pollIntervalMs = ELSEWHERE_POLL_MS } = this.#options;
    const { signal } = this.#abort;
    const { id } = this.#scan;
    const onProgress = (bytes: number) => {
      this.#bytesRead.set(file.path, bytes);
      this.#publishProgress();
    };
    try {
      const content = { key, size: file.size, signal, onProgress };
      let scanned;
      for (let attempt = 0; scanned === undefined; attempt++) {
        // The first time, another server may have scanned it just now.
        if (attempt > 1) await pause(pollIntervalMs, signal);
        if (await scans.hasResult(key)) return { isShared: true };
        scanned = await scanContent(this.#options, content);
      }
      const { result, pace } = scanned;
      const isShared = await scans.keepResult(id, file.path, key, result, pace);
      if (givesVerdict(key.skip)) onVerdict?.(key);
      return { isShared };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ScanFailure)) throw error;
      logFailure(log, file.hash, error);
      const { message: failure } = error;
      const isShared = await scans.failFile(id, file.path, failure);
      if (givesVerdict(key.skip)) {
        await scans.failContent(key, failure);
        onVerdict?.(key);
      }
      return { failure, isShared };
    }
  }

  /** Counts a file as scanned. */
  #advance(file: ScanFile): void {
    this.#bytesRead.delete(file.path);
    const { filesScanned, bytesScanned } = this.#scan;
    this.#scan = {
      ...this.#scan,
      filesScanned: filesScanned + 1,
      bytesScanned: bytesScanned + file.size,
    };
    this.#publishProgress();
  }

  #publishProgress(): void {
    if (Date.now() - this.#progressPublishedAt < PROGRESS_INTERVAL_MS) return;
    this.#progressPublishedAt = Date.now();
    this.#publish("scan.progress", this.current);
  }

  #publish(type: ScanEvent["type"], scan: Scan): void {
    this.#options.events.publish([{ type, scan }]);
  }
}

/**
 * Runs `work` on each item of the pages, on at most `concurrency` items at once. The first failure
 * aborts the work on the others.
 *
 * @throws the abort reason: the first failure, or the reason given by an earlier abort.
 */
async function inParallel<T>(
  pages: AsyncIterable<readonly T[]>,
  concurrency: number,
  abort: AbortController,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const items = eachOf(pages);
  const worker = async () => {
    try {
      for (let next = await items.next(); !next.done; next = await items.next()) {
        await work(next.value);
      }
    } catch (error) {
      abort.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  abort.signal.throwIfAborted();
}

async function* eachOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}
