import { asError, type Log } from "../log.ts";
import { toolLogLabel } from "./label.ts";
import { currentLevelForStats } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import { toolCapacityForStats, toolMemoryLimitMBForStats, toolSlotAdmission } from "./tools.ts";
import type { Tunables } from "./tunables.ts";

/** How often waiting tools look at the host again, in milliseconds. A release wakes them at once. */
export const POLL_INTERVAL_MS = 5000;
/** How long a tool waits where its caller does not say, in milliseconds. */
export const MAX_WAIT_MS = 10 * 60_000;
/** A timer of more would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** That a tool is admitted, until it is released (HC 2). Disposing it releases it. */
export interface Lease extends Disposable {
  readonly id: number;
  /** The label of the tool: no argument is in it. */
  readonly toolName: string;
  readonly heavy: boolean;
  /** The hard memory limit that the tool is to run under, in MB of 2^20 bytes; 0 is none. */
  readonly memoryLimitMB: number;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Gives the slot back. Another time it does nothing (HC 3). */
  release(): void;
}

/** The longest wait has passed without a lease (HC 7). */
export class ErrToolLeaseWaitTimeout extends Error {
  override readonly name = "ErrToolLeaseWaitTimeout";
}

export interface LeasePoolOptions {
  readonly tunables: Tunables;
  /** Reads the host. */
  readonly stats: () => SystemStats;
  readonly log?: Log;
}

/** Heavy tools, or light ones, that wait. */
interface Queue {
  /** In the order in which they came. */
  readonly waiters: Set<Waiter>;
  /** Why the first of them was not admitted when it was last looked at. */
  reason: string;
}

interface Waiter {
  readonly ticket: number;
  readonly queue: Queue;
  readonly heavy: boolean;
  readonly toolName: string;
  grant(lease: Lease): void;
  fail(error: Error): void;
}

/** Admits tools as far as the host carries them, first come, first served (HC 8, C 14). */
export class LeasePool {
  readonly #tunables: Tunables;
  readonly #stats: () => SystemStats;
  readonly #log: Log | undefined;
  readonly #active = new Map<number, Lease>();
  /** Heavy and light tools do not wait for each other. */
  readonly #heavy: Queue = { waiters: new Set(), reason: "" };
  readonly #light: Queue = { waiters: new Set(), reason: "" };
  #activeHeavy = 0;
  #tickets = 0;
  #pollIntervalMs = Infinity;
  #poll: ReturnType<typeof setTimeout> | undefined;

  constructor({ tunables, stats, log }: LeasePoolOptions) {
    this.#tunables = tunables;
    this.#stats = stats;
    this.#log = log;
  }

  /** How many leases are held. */
  get activeTotal(): number {
    return this.#active.size;
  }

  /** How many of them are heavy. */
  get activeHeavy(): number {
    return this.#activeHeavy;
  }

  /** The leases that are held, oldest first. */
  get active(): readonly Lease[] {
    return [...this.#active.values()];
  }

  /** How many tools wait. */
  get waiting(): number {
    return this.#heavy.waiters.size + this.#light.waiters.size;
  }

  /**
   * Waits for a slot.
   *
   * @param signal Ends the waiting.
   * @param toolName The tool or its whole command line, of which only the label is kept.
   * @param pollIntervalMs How often to look whether the host has changed.
   * @param maxWaitMs How long to wait at most; 0 waits until the signal ends it.
   * @throws {ErrToolLeaseWaitTimeout} where the longest wait has passed.
   * @throws {Error} where the signal has ended the waiting; its reason is the `cause`.
   */
  acquireToolLeaseWithContext(
    signal: AbortSignal,
    heavy: boolean,
    toolName: string,
    pollIntervalMs = POLL_INTERVAL_MS,
    maxWaitMs = MAX_WAIT_MS,
  ): Promise<Lease> {
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const label = toolLogLabel(toolName);
    const queue = heavy ? this.#heavy : this.#light;
    const leave = () => {
      queue.waiters.delete(waiter);
      clearTimeout(deadline);
      signal.removeEventListener("abort", ended);
      if (this.waiting === 0) this.#stopPolling();
    };
    const waiter: Waiter = {
      ticket: ++this.#tickets,
      queue,
      heavy,
      toolName: label,
      grant: (lease) => {
        leave();
        resolve(lease);
      },
      fail: (error) => {
        leave();
        reject(error);
      },
    };
    const ended = () => waiter.fail(endedError(label, queue.reason, signal.reason));
    const deadline = maxWaitMs <= 0 ? undefined : setTimeout(() => {
      const message = `${label} waited ${maxWaitMs} ms for a slot in vain: ${queue.reason}`;
      waiter.fail(new ErrToolLeaseWaitTimeout(message));
    }, Math.min(maxWaitMs, MAX_TIMER_MS));
    if (signal.aborted) {
      ended();
      return promise;
    }
    signal.addEventListener("abort", ended);
    queue.waiters.add(waiter);
    // Whoever waits already was looked at when it came, and would be served first.
    if (queue.waiters.size === 1) this.#serve();
    if (queue.waiters.has(waiter)) this.#pollWithin(pollIntervalMs);
    return promise;
  }

  /** Grants leases to those who have waited longest, as far as they are admitted. */
  #serve(): void {
    const stats = this.#read();
    if (stats === undefined) return;
    const { level, reason } = currentLevelForStats(stats, this.#tunables);
    for (;;) {
      const waiter = this.#firstAdmitted((heavy) => {
        const capacity = toolCapacityForStats(
          stats,
          level,
          reason,
          this.activeTotal,
          this.activeHeavy,
          this.#tunables,
        );
        return toolSlotAdmission(heavy, capacity, this.activeTotal, this.activeHeavy);
      });
      if (waiter === undefined) return;
      const memoryLimitMB = toolMemoryLimitMBForStats(
        stats,
        waiter.heavy,
        this.activeTotal + 1,
        this.activeHeavy + Number(waiter.heavy),
        level,
        this.#tunables,
      );
      waiter.grant(this.#lease(waiter, memoryLimitMB));
    }
  }

  /** Of the two that are first in their queues, the older one that is admitted. */
  #firstAdmitted(
    admission: (heavy: boolean) => { admitted: boolean; reason: string },
  ): Waiter | undefined {
    const [heavy] = this.#heavy.waiters;
    const [light] = this.#light.waiters;
    const heads = [heavy, light].filter((waiter) => waiter !== undefined)
      .sort((a, b) => a.ticket - b.ticket);
    for (const waiter of heads) {
      const { admitted, reason } = admission(waiter.heavy);
      if (admitted) return waiter;
      waiter.queue.reason = reason;
    }
    return undefined;
  }

  #lease({ ticket: id, toolName, heavy }: Waiter, memoryLimitMB: number): Lease {
    const release = () => {
      if (!this.#active.delete(id)) return;
      if (heavy) this.#activeHeavy--;
      this.#serve();
    };
    const lease: Lease = {
      id,
      toolName,
      heavy,
      memoryLimitMB,
      since: Date.now(),
      release,
      [Symbol.dispose]: release,
    };
    this.#active.set(id, lease);
    if (heavy) this.#activeHeavy++;
    return lease;
  }

  /** A reading of the host; undefined, and said in the log, where it can't be read now. */
  #read(): SystemStats | undefined {
    try {
      return this.#stats();
    } catch (error) {
      this.#heavy.reason = this.#light.reason = "the host can't be read";
      this.#log?.error("Cannot read the capacity of the host", {
        error: asError(error),
      });
      return undefined;
    }
  }

  /** Has the host looked at again, as long as somebody waits. */
  #pollWithin(intervalMs: number): void {
    if (this.#poll !== undefined && intervalMs >= this.#pollIntervalMs) return;
    clearTimeout(this.#poll);
    this.#pollIntervalMs = intervalMs;
    this.#poll = setTimeout(() => {
      this.#poll = undefined;
      this.#serve();
      if (this.waiting > 0) this.#pollWithin(this.#pollIntervalMs);
    }, Math.min(intervalMs, MAX_TIMER_MS));
  }

  #stopPolling(): void {
    clearTimeout(this.#poll);
    this.#poll = undefined;
    this.#pollIntervalMs = Infinity;
  }
}

/** `reason` is the one of the signal. */
function endedError(label: string, why: string, reason: unknown): Error {
  const timedOut = reason instanceof DOMException && reason.name === "TimeoutError";
  const what = timedOut ? "timed out" : "was cancelled";
  const shown = why === "" ? "" : `: ${why}`;
  return new Error(`${label} ${what} while waiting for a slot${shown}`, { cause: reason });
}
