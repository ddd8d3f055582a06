import { admissionReason } from "../capacity/level.ts";
import { effectiveMaxInstancesForAdmissionStats } from "../capacity/instances.ts";
import type { HostCapacity, InstanceCount } from "../capacity/overview.ts";
import type { LeasePool } from "../capacity/leases.ts";
import type { EventBus, ScanEvent } from "../events.ts";
import type { Log } from "../log.ts";
import { HEAVY_BYTES } from "./limits.ts";
import {
  type ContentScanner,
  type Scan,
  ScanFailure,
  type ScanFile,
  type ScanStore,
} from "./ports.ts";

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
  readonly events: EventBus;
  readonly log: Log;
  /** @default 5000 */
  readonly pollMs?: number;
}

/** A scan that runs. */
interface Job {
  scan: Scan;
  readonly abort: AbortController;
  readonly admittedAt: number;
  toldAt: number;
  readonly ended: Promise<void>;
}

/** Why a job's signal aborts when the server stops: the scan is queued again at the next start. */
const STOPPING = new DOMException("The server is stopping", "AbortError");

/** Why it aborts when its scan is cancelled. */
const CANCELLED = new DOMException("The scan was cancelled", "AbortError");

/**
 * Runs scans, as many at once as the host carries and first come, first served, and the files of a
 * scan under leases (C 15).
 */
export class ScanJobs {
  readonly #options: ScanJobsOptions;
  readonly #queue: Scan[] = [];
  readonly #running = new Map<number, Job>();
  readonly #watchers = new Map<number, Set<(scan?: Scan) => void>>();
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

  /** How many scans wait. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Takes up what was left unfinished when the server ended (C 15). */
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
    return this.#running.get(stored.id)?.scan ?? stored;
  }

  /** Ends a scan that waits or runs; false where it does neither. */
  async cancel(id: number): Promise<boolean> {
    const at = this.#queue.findIndex((scan) => scan.id === id);
    if (at !== -1) {
      this.#queue.splice(at, 1);
      this.#finished(await this.#options.scans.end(id, "cancelled", Date.now()));
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
    const { promise, resolve } = Promise.withResolvers<Scan | undefined>();
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers);
    const settle = (scan?: Scan) => {
      watchers.delete(settle);
      if (watchers.size === 0) this.#watchers.delete(id);
      signal.removeEventListener("abort", giveUp);
      resolve(scan);
    };
    const giveUp = () => settle();
    signal.addEventListener("abort", giveUp);
    watchers.add(settle);
    if (signal.aborted) giveUp();
    return promise;
  }

  /** Ends what runs; it is queued again at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#poll);
    const jobs = [...this.#running.values()];
    for (const { abort } of jobs) abort.abort(STOPPING);
    await Promise.all(jobs.map(({ ended }) => ended));
    for (const watchers of [...this.#watchers.values()]) {
      for (const settle of [...watchers]) settle();
    }
  }

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
    const { running, recentAdmissions } = this.instances;
    try {
      const stats = host.stats();
      const reason = admissionReason(stats, host.tunables);
      return effectiveMaxInstancesForAdmissionStats(
        stats,
        running,
        recentAdmissions,
        reason,
        host.tunables,
      ).ceiling;
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
      return await scans.complete(id, Date.now());
    } catch (error) {
      if (error === STOPPING) return undefined;
      try {
        if (error === CANCELLED) return await scans.end(id, "cancelled", Date.now());
        log.error("A scan failed", { scan: id, error: asError(error) });
        return await scans.end(id, "failed", Date.now(), "The scan failed; the log says why");
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
    const files = eachOf(scans.files(job.scan.id));
    const worker = async () => {
      for (let next = await files.next(); !next.done; next = await files.next()) {
        await this.#scanFile(job, next.value);
      }
    };
    const cores = Math.max(1, host.stats().CPUCores);
    const outcomes = await Promise.allSettled(Array.from({ length: cores }, async () => {
      try {
        await worker();
      } catch (error) {
        // The other workers have nothing to go on for.
        job.abort.abort(error);
        throw error;
      }
    }));
    job.abort.signal.throwIfAborted();
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
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
        await scans.keepResult(key, await contents.scan(key, { skip, signal }));
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
    this.#progress(job, file.size);
  }

  #progress(job: Job, bytes: number): void {
    const { scan } = job;
    job.scan = {
      ...scan,
      filesScanned: scan.filesScanned + 1,
      bytesScanned: scan.bytesScanned + bytes,
    };
    if (Date.now() - job.toldAt < PROGRESS_MS) return;
    job.toldAt = Date.now();
    this.#tell("scan.progress", job.scan);
  }

  #finished(scan: Scan): void {
    this.#tell("scan.finished", scan);
    for (const settle of [...this.#watchers.get(scan.id) ?? []]) settle(scan);
  }

  #tell(type: ScanEvent["type"], scan: Scan): void {
    this.#options.events.publish([{ type, scan }]);
  }
}

async function* eachOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
