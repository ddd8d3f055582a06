import { admissionCeiling, type InstanceCount } from "../capacity/instances.ts";
import { AppError, RetryLater } from "../errors.ts";
import { asError } from "../log.ts";
import type { Scan, ScanQueue, ScanServers } from "./ports.ts";
import { ScanRun, type ScanRunOptions } from "./run.ts";
import { ScanWatchers } from "./watchers.ts";

/** How long an admitted scan counts as recent (C 15). */
const RECENT_ADMISSION_MS = 30_000;
/** How often the host is read while scans are queued, in milliseconds. */
const POLL_INTERVAL_MS = 5000;
/** How long a request waits until another server has canceled a scan. */
const CANCEL_MS = 10_000;
const RETRY_AFTER_S = 5;

/** What {@link ScanJobs} works with. */
export interface ScanJobsOptions extends ScanRunOptions {
  readonly queue: ScanQueue;
  /** The servers that take scans from the queue, if there are others. */
  readonly servers?: ScanServers | undefined;
  /** How long to wait until another server has canceled a scan, in milliseconds. @default 10000 */
  readonly cancelMs?: number | undefined;
}

interface Running {
  readonly run: ScanRun;
  /** Resolves when the scan has left the host. */
  readonly ended: Promise<void>;
}

/**
 * Takes scans from the queue, and runs as many at once as the host carries (C 15). Scans of other servers
 * that share the queue can be watched and canceled here as well (C 23).
 */
export class ScanJobs implements AsyncDisposable {
  readonly #options: ScanJobsOptions;
  readonly #running = new Map<number, Running>();
  readonly #watchers = new ScanWatchers();
  /** What is being canceled. */
  readonly #canceling = new Map<number, Promise<boolean>>();
  /** The users of reserved slots. */
  readonly #reserved: { readonly userId: number }[] = [];
  #poll: { readonly timer: ReturnType<typeof setTimeout>; readonly isIdle: boolean } | undefined;
  /** What is done next, unless the server stops. */
  readonly #due = { exchange: false, admission: false };
  /** Takes scans, and looks at those of other servers, one thing after the other. */
  #working: Promise<void> | undefined;
  #isWorking = false;
  #isQueueAway = false;
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
  async queued(): Promise<number> {
    const { scans } = await this.#options.queue.counts(0);
    return scans + this.#reserved.length;
  }

  /** About as many. While none waits, as far as this server has seen, it asks no database. */
  async waiting(): Promise<number> {
    return this.#options.queue.isEmpty ? this.#reserved.length : await this.queued();
  }

  /** Whether no scan waits, and the host carries another one. */
  get hasRoom(): boolean {
    return !this.#stopped && this.#options.queue.isEmpty && this.#running.size < this.#ceiling();
  }

  /**
   * Reserves a slot in the queue for a scan that is being stored. Disposing releases the slot. If the queue
   * is full, it still takes scans of users who have less than their share in it, up to twice its size.
   *
   * @throws {AppError} `ErrScansQueueFull` when it takes no further scan of the user.
   */
  async reserveSlot(userId: number, maxQueued: number): Promise<Disposable> {
    const before = [...this.#reserved];
    const slot = { userId };
    this.#reserved.push(slot);
    const release = () => void this.#reserved.splice(this.#reserved.indexOf(slot), 1);
    try {
      const counts = await this.#options.queue.counts(userId);
      const queued = counts.scans + before.length;
      const own = counts.own + before.filter((other) => other.userId === userId).length;
      const users = counts.users + (counts.own === 0 ? 1 : 0);
      if (queued >= maxQueued && (own >= maxQueued / users || queued >= 2 * maxQueued)) {
        const message = `The scan queue is full: ${queued} scans are waiting`;
        throw new AppError("ErrScansQueueFull", message);
      }
    } catch (error) {
      release();
      throw error;
    }
    return { [Symbol.dispose]: release };
  }

  /** Queues the scans that an earlier run of the server left unfinished (C 15). Call it before {@link enqueue}. */
  async resume(): Promise<void> {
    await this.#options.queue.resume();
    this.#admit();
  }

  /** Queues a scan that is stored as queued. */
  enqueue(scan: Scan): void {
    this.#options.queue.add(scan);
    this.#options.events.publish([{ type: "scan.queued", scan }]);
    this.#admit();
  }

  /** The current state of a stored scan: one that this server runs is ahead of the store. */
  current(stored: Scan): Scan {
    return this.#running.get(stored.id)?.run.current ?? stored;
  }

  /**
   * Cancels a queued or running scan. Returns false if the scan is neither.
   *
   * @throws {RetryLater} when another server runs it, and has not stopped it in time.
   * @throws what the store throws; a queued scan then stays queued.
   */
  cancel(id: number): Promise<boolean> {
    const canceling = this.#canceling.get(id) ??
      this.#cancel(id).finally(() => this.#canceling.delete(id));
    this.#canceling.set(id, canceling);
    return canceling;
  }

  /** Waits for a scan to finish. Returns undefined if the signal aborts or the server stops first. */
  finished(id: number, signal: AbortSignal): Promise<Scan | undefined> {
    const finished = this.#watchers.finished(id, signal);
    // Another server may run it: that is looked for more often from now on.
    this.#schedule();
    return finished;
  }

  /** Interrupts the running scans; another server, or the next start, queues them again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#poll?.timer);
    await this.#working;
    const running = [...this.#running.values()];
    for (const { run } of running) run.stop();
    await Promise.all(running.map(({ ended }) => ended));
    this.#watchers.close();
    const { servers, log } = this.#options;
    // Otherwise they are queued again when the lease of this server has run out.
    await servers?.leave().catch((error) =>
      log.error("Cannot give back scans", { error: asError(error) })
    );
  }

  [Symbol.asyncDispose] = () => this.stop();

  async #cancel(id: number): Promise<boolean> {
    if (await this.#cancelRunning(id)) return true;
    try {
      const canceled = await this.#options.queue.cancel(id);
      if (canceled !== undefined) {
        this.#notify(canceled);
        return true;
      }
    } finally {
      this.#admit();
    }
    // It may have been taken meanwhile.
    await this.#working;
    return await this.#cancelRunning(id) || await this.#cancelElsewhere(id);
  }

  async #cancelRunning(id: number): Promise<boolean> {
    const running = this.#running.get(id);
    if (running === undefined) return false;
    running.run.cancel();
    await running.ended;
    return true;
  }

  async #cancelElsewhere(id: number): Promise<boolean> {
    const { servers, cancelMs = CANCEL_MS } = this.#options;
    if (servers === undefined || !await servers.askToCancel(id)) return false;
    if (await this.finished(id, AbortSignal.timeout(cancelMs)) !== undefined) return true;
    throw new RetryLater(
      "ErrUnavailable",
      `Scan ${id} will be canceled, but the server that runs it has not stopped it yet`,
      RETRY_AFTER_S,
    );
  }

  /** Starts queued scans while the host carries another one. */
  #admit(): void {
    this.#due.admission = true;
    this.#work();
  }

  #work(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#working = this.#workOff();
  }

  async #workOff(): Promise<void> {
    const { log } = this.#options;
    try {
      while (!this.#stopped && (this.#due.exchange || this.#due.admission)) {
        const { exchange } = this.#due;
        this.#due.exchange = this.#due.admission = false;
        if (exchange) await this.#exchange();
        await this.#takeScans();
      }
      this.#isQueueAway = false;
    } catch (error) {
      // The next poll tries again.
      if (!this.#isQueueAway) log.error("Cannot read the scan queue", { error: asError(error) });
      this.#isQueueAway = true;
    }
    this.#isWorking = false;
    this.#schedule();
  }

  async #takeScans(): Promise<void> {
    const { queue } = this.#options;
    while (!this.#stopped && !queue.isEmpty && this.#running.size < this.#ceiling()) {
      const scan = await queue.take([...this.#running.keys()]);
      if (scan !== undefined && !this.#stopped) this.#run(scan);
    }
  }

  /** Looks again after some time, if scans wait or other servers change them. */
  #schedule(): void {
    const { queue, servers, pollIntervalMs } = this.#options;
    if (this.#stopped || servers === undefined && queue.isEmpty) return;
    const isIdle = queue.isEmpty && this.#running.size === 0 && this.#watchers.ids.length === 0;
    if (this.#poll !== undefined && (isIdle || !this.#poll.isIdle)) return;
    clearTimeout(this.#poll?.timer);
    const standard = isIdle ? servers?.idlePollIntervalMs : servers?.pollIntervalMs;
    const timer = setTimeout(() => {
      this.#poll = undefined;
      this.#due.exchange = servers !== undefined;
      this.#admit();
    }, pollIntervalMs ?? standard ?? POLL_INTERVAL_MS);
    this.#poll = { timer, isIdle };
  }

  /** Does what other servers have asked for, and notices what they have ended. */
  async #exchange(): Promise<void> {
    const { servers } = this.#options;
    if (servers === undefined) return;
    const running = [...this.#running];
    const own = await servers.exchange(running.map(([, { run }]) => run.current));
    for (const [id, { run }] of running) {
      const state = own.get(id);
      // Another server may run a scan by now that is not its own any more.
      if (state === undefined) run.stop();
      else if (state.isCanceled) run.cancel();
    }
    const ids = this.#watchers.ids.filter((id) => !this.#running.has(id));
    if (ids.length === 0) return;
    for (const scan of await servers.ended(ids)) this.#watchers.notify(scan);
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
