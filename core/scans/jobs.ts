import { admissionCeiling, type InstanceCount } from "../capacity/instances.ts";
import { FairQueue } from "../fair_queue.ts";
import { asError } from "../log.ts";
import type { Scan } from "./ports.ts";
import { ScanRun, type ScanRunOptions } from "./run.ts";
import { ScanWatchers } from "./watchers.ts";

/** How long an admitted scan counts as recent (C 15). */
const RECENT_ADMISSION_MS = 30_000;
/** How often the host is read while scans are queued. */
const POLL_INTERVAL_MS = 5000;

/** What {@link ScanJobs} works with. */
export interface ScanJobsOptions extends ScanRunOptions {
  /** How often to read the host while scans are queued. @default 5000 */
  readonly pollIntervalMs?: number | undefined;
}

interface Running {
  readonly run: ScanRun;
  /** Resolves when the scan has left the host. */
  readonly ended: Promise<void>;
}

/**
 * The scan queue: runs as many scans at once as the host carries (C 15). Users take turns; the scans of
 * one user run in order of arrival.
 */
export class ScanJobs implements AsyncDisposable {
  readonly #options: ScanJobsOptions;
  readonly #queue = new FairQueue<Scan>();
  readonly #running = new Map<number, Running>();
  readonly #watchers = new ScanWatchers();
  /** Scans that have left the queue and are not stored as canceled yet. */
  readonly #canceling = new Map<number, Promise<void>>();
  /** The users of reserved slots. */
  readonly #reserved: number[] = [];
  #poll: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(options: ScanJobsOptions) {
    this.#options = options;
  }

  /** The running scans, as the capacity rules count them. */
  get instances(): InstanceCount {
    const since = Date.now() - RECENT_ADMISSION_MS;
    const recent = [...this.#running.values()].filter(({ run }) => run.admittedAt > since);
    return { running: this.#running.size, recentAdmissions: recent.length };
  }

  /** The number of queued scans and reserved slots. */
  get queued(): number {
    return this.#queue.size() + this.#reserved.length;
  }

  /**
   * Whether the queue takes no further scan of the user. If it is full, it still takes those of users who
   * have less than their share in it, up to twice its size.
   */
  isFull(userId: number, maxQueued: number): boolean {
    if (this.queued < maxQueued) return false;
    const own = this.#queue.size(userId) + this.#reserved.filter((it) => it === userId).length;
    const users = this.#queue.users + (this.#queue.size(userId) === 0 ? 1 : 0);
    return own >= maxQueued / users || this.queued >= 2 * maxQueued;
  }

  /** Whether no scan waits, and the host carries another one. */
  get hasRoom(): boolean {
    return !this.#stopped && this.#queue.users === 0 && this.#running.size < this.#ceiling();
  }

  /** Reserves a slot in the queue for a scan that is being stored. Disposing releases the slot. */
  reserveSlot(userId: number): Disposable {
    this.#reserved.push(userId);
    return {
      [Symbol.dispose]: () => void this.#reserved.splice(this.#reserved.indexOf(userId), 1),
    };
  }

  /**
   * Queues the scans that the last run of the server left unfinished (C 15). Call before
   * {@link enqueue}: every unfinished scan in the store counts as left over.
   */
  async resume(): Promise<void> {
    for (const scan of await this.#options.scans.requeue()) this.#queue.add(scan.requestedBy, scan);
    this.#admit();
  }

  /** Queues a scan that is stored as queued. */
  enqueue(scan: Scan): void {
    this.#queue.add(scan.requestedBy, scan);
    this.#options.events.publish([{ type: "scan.queued", scan }]);
    this.#admit();
  }

  /** The current state of a stored scan: a running scan is ahead of the store. */
  current(stored: Scan): Scan {
    return this.#running.get(stored.id)?.run.current ?? stored;
  }

  /**
   * Cancels a queued or running scan. Returns false if the scan is neither.
   *
   * @throws what the store throws; the scan then stays queued.
   */
  async cancel(id: number): Promise<boolean> {
    const queued = this.#queue.find((scan) => scan.id === id);
    if (queued !== undefined) this.#canceling.set(id, this.#cancelQueued(queued));
    const canceling = this.#canceling.get(id);
    if (canceling !== undefined) {
      await canceling;
      return true;
    }
    const running = this.#running.get(id);
    if (running === undefined) return false;
    running.run.cancel();
    await running.ended;
    return true;
  }

  /** Waits for a scan to finish. Returns undefined if the signal aborts or the queue stops first. */
  finished(id: number, signal: AbortSignal): Promise<Scan | undefined> {
    return this.#watchers.finished(id, signal);
  }

  /** Interrupts the running scans; the next start queues them again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#poll);
    const running = [...this.#running.values()];
    for (const { run } of running) run.stop();
    await Promise.all(running.map(({ ended }) => ended));
    this.#watchers.close();
  }

  [Symbol.asyncDispose] = () => this.stop();

  async #cancelQueued(scan: Scan): Promise<void> {
    const index = this.#queue.remove(scan.requestedBy, scan);
    try {
      this.#notify(await this.#options.scans.end(scan, "cancelled", Date.now()));
    } catch (error) {
      // The store still has it as queued.
      this.#queue.add(scan.requestedBy, scan, index);
      this.#admit();
      throw error;
    } finally {
      this.#canceling.delete(scan.id);
    }
  }

  /** Starts queued scans while the host carries another one. */
  #admit(): void {
    clearTimeout(this.#poll);
    if (this.#stopped) return;
    while (this.#queue.users > 0 && this.#running.size < this.#ceiling()) {
      const scan = this.#queue.next();
      if (scan !== undefined) this.#run(scan);
    }
    if (this.#queue.users > 0) {
      const interval = this.#options.pollIntervalMs ?? POLL_INTERVAL_MS;
      this.#poll = setTimeout(() => this.#admit(), interval);
    }
  }

  #ceiling(): number {
    const { host, log } = this.#options;
    try {
      return admissionCeiling(host.stats(), this.instances, host.tunables).ceiling;
    } catch (error) {
      // Admit nothing now; the next poll reads the host again.
      log.error("Cannot read the capacity of the host", { error: asError(error) });
      return 0;
    }
  }

  #run(scan: Scan): void {
    const run = new ScanRun(this.#options, scan);
    const ended = run.execute().then((finished) => {
      this.#running.delete(scan.id);
      if (finished !== undefined) this.#notify(finished);
    });
    this.#running.set(scan.id, { run, ended });
    ended.then(() => this.#admit());
  }

  /** Publishes the end of a scan, and notifies its watchers. */
  #notify(finished: Scan): void {
    this.#options.totals.addScan(finished.status);
    this.#options.events.publish([{ type: "scan.finished", scan: finished }]);
    this.#watchers.notify(finished);
  }
}
