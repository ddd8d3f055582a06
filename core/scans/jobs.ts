import { admissionCeiling, type InstanceCount } from "../capacity/admission.ts";
import type { HostCapacity } from "../capacity/overview.ts";
import type { LeasePool } from "../capacity/leases.ts";
import type { EventSink } from "../events.ts";
import type { Log } from "../log.ts";
import { inParallel } from "./in_parallel.ts";
import { type Job, progressOf } from "./job.ts";
import { HEAVY_BYTES } from "../scanner/mod.ts";
import {
  type ContentScanner,
  type Scan,
  type ScanEvent,
  ScanFailure,
  type ScanFile,
  type ScanStore,
} from "./ports.ts";
import { ScanWatchers } from "./watchers.ts";

/** How long an instance counts as recently admitted, in milliseconds (C 15). */
const RECENT_MS = 30_000;
/** How often the host is looked at again while scans wait, in milliseconds. */
const POLL_MS = 5000;
/** How often a scan's progress is told at most, in milliseconds. */
const PROGRESS_MS = 1000;

export interface ScanJobsOptions {
  readonly scans: ScanStore;
  readonly contents: ContentScanner;
  readonly host: HostCapacity;
  readonly leases: LeasePool;
  readonly events: EventSink<ScanEvent>;
  readonly log: Log;
  /** @default 5000 */
  readonly pollMs?: number;
}

/** Why a job's signal aborts when the server stops: the scan is queued again at the next start. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

/** Why it aborts when its scan is cancelled. */
const CANCELLED = new DOMException("The scan was cancelled", "AbortError");

/**
 * Runs scans, as many at once as the host carries and first come, first served, and the files of a
 * scan under leases (C 15).
 */
export class ScanJobs implements AsyncDisposable {
  readonly #options: ScanJobsOptions;
  readonly #queue: Scan[] = [];
  readonly #running = new Map<number, Job>();
  readonly #watchers = new ScanWatchers();
  /** Scans that left the queue to be cancelled, until they are. */
  readonly #cancelling = new Map<number, Promise<void>>();
  #announced = 0;
  #poll: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(options: ScanJobsOptions) {
    this.#options = options;
  }

  /** How many scans run, for the capacity of the host. */
  get instances(): InstanceCount {
    const since = Date.now() - RECENT_MS;
    const recentAdmissions = [...this.#running.values()].filter(({ admittedAt }) =>
      admittedAt > since
    );
    return { running: this.#running.size, recentAdmissions: recentAdmissions.length };
  }

  /** How many scans wait, or are about to. */
  get queued(): number {
    return this.#queue.length + this.#announced;
  }

  /** Keeps a place in the queue for a scan that is being stored, until it is disposed of. */
  announce(): Disposable {
    this.#announced++;
    return { [Symbol.dispose]: () => void this.#announced-- };
  }

  /**
   * Takes up what was left unfinished when the server ended (C 15). To be called before any scan is
   * enqueued: what the store has then is left over.
   */
  async resume(): Promise<void> {
    this.#queue.push(...await this.#options.scans.requeue());
    this.#admit();
  }

  /** Takes a scan that is stored as queued. */
  enqueue(scan: Scan): void {
    this.#queue.push(scan);
    this.#tell("scan.queued", scan);
    this.#admit();
  }

  /** The scan as it is now: what runs knows more of itself than the store. */
  current(stored: Scan): Scan {
    const job = this.#running.get(stored.id);
    return job === undefined ? stored : progressOf(job);
  }

  /** Ends a scan that waits or runs; false where it does neither. */
  async cancel(id: number): Promise<boolean> {
    const at = this.#queue.findIndex((scan) => scan.id === id);
    if (at !== -1) this.#cancelling.set(id, this.#cancelQueued(at));
    const cancelling = this.#cancelling.get(id);
    if (cancelling !== undefined) {
      await cancelling;
      return true;
    }
    const job = this.#running.get(id);
    if (job === undefined) return false;
    job.abort.abort(CANCELLED);
    await job.ended;
    return true;
  }

  /** The scan once it has finished, or undefined where it has not when the signal aborts. */
  finished(id: number, signal: AbortSignal): Promise<Scan | undefined> {
    return this.#watchers.finished(id, signal);
  }

  /** Ends what runs; it is queued again at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#poll);
    const jobs = [...this.#running.values()];
    for (const { abort } of jobs) abort.abort(STOPPING);
    await Promise.all(jobs.map(({ ended }) => ended));
    this.#watchers.close();
  }

  async #cancelQueued(at: number): Promise<void> {
    const scan = this.#queue[at];
    if (scan === undefined) return;
    this.#queue.splice(at, 1);
    try {
      this.#finished(await this.#options.scans.end(scan, "cancelled", Date.now()));
    } catch (error) {
      // It is queued in the store, and so it is here.
      this.#queue.splice(at, 0, scan);
      this.#admit();
      throw error;
    } finally {
      this.#cancelling.delete(scan.id);
    }
  }

  [Symbol.asyncDispose] = () => this.stop();

  /** Starts scans as long as the host carries another one. */
  #admit(): void {
    clearTimeout(this.#poll);
    if (this.#stopped) return;
    while (this.#queue.length > 0 && this.#running.size < this.#ceiling()) {
      const scan = this.#queue.shift();
      if (scan !== undefined) this.#run(scan);
    }
    if (this.#queue.length > 0) {
      this.#poll = setTimeout(() => this.#admit(), this.#options.pollMs ?? POLL_MS);
    }
  }

  #ceiling(): number {
    const { host, log } = this.#options;
    try {
      return admissionCeiling(host.stats(), this.instances, host.tunables).ceiling;
    } catch (error) {
      // It may be readable again at the next look.
      log.error("Cannot read the capacity of the host", { error: asError(error) });
      return 0;
    }
  }

  #run(scan: Scan): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const now = Date.now();
    const job: Job = {
      scan: { ...scan, status: "running", startedAt: now },
      abort: new AbortController(),
      admittedAt: now,
      toldAt: 0,
      ended: promise,
      reading: new Map(),
    };
    this.#running.set(scan.id, job);
    this.#work(job).then((ended) => {
      this.#running.delete(scan.id);
      if (ended !== undefined) this.#finished(ended);
      resolve();
      this.#admit();
    });
  }

  /** Scans the files and returns the ended scan; undefined where it is to go on at the next start. */
  async #work(job: Job): Promise<Scan | undefined> {
    const { scans, log } = this.#options;
    const { id } = job.scan;
    try {
      await scans.start(id, job.admittedAt);
      this.#tell("scan.started", job.scan);
      await this.#scanFiles(job);
      return await scans.complete(id, Date.now(), job.abort.signal);
    } catch (error) {
      if (error === STOPPING) return undefined;
      try {
        if (error === CANCELLED) return await scans.end(job.scan, "cancelled", Date.now());
        log.error("A scan failed", { scan: id, error: asError(error) });
        const why = error instanceof ScanFailure ? error.message : "It failed, see the log";
        return await scans.end(job.scan, "failed", Date.now(), why);
      } catch (another) {
        // It stays unfinished in the store, and is queued again at the next start.
        log.error("A scan could not be ended", { scan: id, error: asError(another) });
        return undefined;
      }
    }
  }

  /** Scans the files, several at once as leases are to be had. */
  async #scanFiles(job: Job): Promise<void> {
    const { scans, host } = this.#options;
    const files = scans.files(job.scan.id);
    const cores = Math.max(1, host.stats().CPUCores);
    await inParallel(files, cores, job.abort, (file) => this.#scanFile(job, file));
  }

  async #scanFile(job: Job, file: ScanFile): Promise<void> {
    const { scans, leases, contents } = this.#options;
    const { signal } = job.abort;
    const { id, skip } = job.scan;
    signal.throwIfAborted();
    const key = { hash: file.hash, name: file.name, skip };
    if (!await scans.hasResult(key)) {
      try {
        using _lease = await leases.acquireToolLeaseWithContext(
          signal,
          file.size >= HEAVY_BYTES,
          "scan",
          undefined,
          0,
        );
        // Another scan may have had the same content meanwhile.
        if (!await scans.hasResult(key)) {
          const onProgress = (bytes: number) => {
            job.reading.set(file.path, bytes);
            this.#tellProgress(job);
          };
          const result = await contents.scan(key, { skip, signal, onProgress });
          await scans.keepResult(id, file.path, key, result);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ScanFailure)) throw error;
        this.#options.log.warn("A file could not be scanned", {
          scan: id,
          hash: file.hash,
          problem: `${error.message}${error.cause === undefined ? "" : `: ${error.cause}`}`,
        });
        await scans.failFile(id, file.path, error.message);
      }
    }
    job.reading.delete(file.path);
    const { filesScanned, bytesScanned } = job.scan;
    job.scan = {
      ...job.scan,
      filesScanned: filesScanned + 1,
      bytesScanned: bytesScanned + file.size,
    };
    this.#tellProgress(job);
  }

  #tellProgress(job: Job): void {
    if (Date.now() - job.toldAt < PROGRESS_MS) return;
    job.toldAt = Date.now();
    this.#tell("scan.progress", progressOf(job));
  }

  #finished(scan: Scan): void {
    this.#tell("scan.finished", scan);
    this.#watchers.tell(scan);
  }

  #tell(type: ScanEvent["type"], scan: Scan): void {
    this.#options.events.publish([{ type, scan }]);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
