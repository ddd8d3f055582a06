import type { LeasePool } from "../capacity/leases.ts";
import type { HostCapacity } from "../capacity/overview.ts";
import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import type { EventSink } from "../events.ts";
import { asError, type Log } from "../log.ts";
import { type FileResult, MIN_HEAVY_BYTES } from "../scanner/mod.ts";
import {
  type ContentScanner,
  type ResultKey,
  type Scan,
  type ScanEvent,
  ScanFailure,
  type ScanFile,
  type ScanStore,
} from "./ports.ts";
import type { ContentOutcome, SharedScans } from "./shared_scans.ts";

/** The shortest time between two progress events of one scan. */
const PROGRESS_INTERVAL_MS = 1000;

/** A file is not tried again after this many attempts that ended with the server. */
const MAX_ATTEMPTS = 2;
const INTERRUPTED = "The server stopped unexpectedly twice while scanning this file";

/** The abort reason when the server stops. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

/** The abort reason when the scan is canceled. */
const CANCELED = new DOMException("The scan was canceled", "AbortError");

/** What a {@link ScanRun} works with. */
export interface ScanRunOptions {
  readonly scans: ScanStore;
  readonly contents: ContentScanner;
  readonly host: HostCapacity;
  readonly leases: LeasePool;
  /** The contents that any scan is reading. */
  readonly shared: SharedScans;
  readonly events: EventSink<ScanEvent>;
  readonly log: Log;
  readonly damage: DamageLog;
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

  /** Interrupts the scan; the next start of the server queues it again. */
  stop(): void {
    this.#abort.abort(STOPPING);
  }

  /**
   * Scans the files. Returns the finished scan, or undefined if it stays unfinished in the store and
   * the next start of the server queues it again. Never rejects.
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
    const key = { hash: file.hash, name: file.name, skip };
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
    const { scans } = this.#options;
    const { signal } = this.#abort;
    const { id } = this.#scan;
    if (await scans.hasResult(key)) return { isShared: true };
    try {
      const result = await this.#resultOf(file, key);
      return { isShared: await scans.keepResult(id, file.path, key, result) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ScanFailure)) throw error;
      this.#options.log.warn("Cannot scan a file", {
        scan: id,
        hash: file.hash,
        problem: `${error.message}${error.cause === undefined ? "" : `: ${error.cause}`}`,
      });
      const { message: failure } = error;
      return { failure, isShared: await scans.failFile(id, file.path, failure) };
    }
  }

  /**
   * Scans the content under a lease. Counts the attempt, so that content that ends the server is not
   * tried forever.
   */
  async #resultOf(file: ScanFile, key: ResultKey): Promise<FileResult> {
    const { scans, leases, contents } = this.#options;
    const { signal } = this.#abort;
    using lease = await leases.acquireToolLeaseWithContext(
      signal,
      file.size >= MIN_HEAVY_BYTES,
      "scan",
      undefined,
      0,
    );
    if (!await scans.beginAttempt(key, MAX_ATTEMPTS)) throw new ScanFailure(INTERRUPTED);
    const onProgress = (bytes: number) => {
      this.#bytesRead.set(file.path, bytes);
      this.#publishProgress();
    };
    try {
      const { memoryLimitMB } = lease;
      const { userId } = this.#scan;
      const options = { userId, memoryLimitMB, skip: key.skip, signal, onProgress };
      const result = await contents.scan(key, options);
      this.#verify(file, result);
      return result;
    } catch (error) {
      await (signal.aborted ? scans.withdrawAttempt(key) : scans.endAttempt(key));
      throw error;
    }
  }

  /** Refuses the result for bytes that are not those that were stored (C 5.3). */
  #verify({ hash }: ScanFile, { hashes }: FileResult): void {
    if (hashes.md5 === hash) return;
    const error = new DamagedContent(hash, `MD5 ${hash}`, `MD5 ${hashes.md5}`);
    this.#options.damage.report(error);
    throw new ScanFailure("Content damaged", { cause: error });
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
