import { asError, type Log } from "../log.ts";
import { toolLogLabel } from "./label.ts";
import { currentLevelForStats } from "./level.ts";
import type { SystemStats } from "./stats.ts";
import { toolCapacityForStats, toolMemoryLimitMBForStats, toolSlotAdmission } from "./tools.ts";
import type { Tunables } from "./tunables.ts";

/** How often to read the host while tools wait. A release wakes them immediately. */
const POLL_INTERVAL_MS = 5000;
/** How long a tool waits if its caller sets no maximum. */
const DEFAULT_MAX_WAIT_MS = 10 * 60_000;
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The admission of a tool until its release (HC 2). Disposing releases it. */
export interface Lease extends Disposable {
  readonly id: number;
  /** The label of the tool, without arguments. */
  readonly toolName: string;
  readonly heavy: boolean;
  /** The hard memory limit for the tool, in MB of 2^20 bytes; 0 for none. */
  readonly memoryLimitMB: number;
  /** When the tool was admitted, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Releases the slot. Further calls do nothing (HC 3). */
  release(): void;
}

/** The maximum wait passed without a lease (HC 7). */
export class ErrToolLeaseWaitTimeout extends Error {
  override readonly name = "ErrToolLeaseWaitTimeout";
}

/** Options of {@link LeasePool}. */
export interface LeasePoolOptions {
  readonly tunables: Tunables;
  /** Reads the host. */
  readonly stats: () => SystemStats;
  readonly log?: Log;
}

/** The waiting heavy tools, or the waiting light tools. */
interface Queue {
  /** In order of arrival. */
  readonly waiters: Set<Waiter>;
  /** Why the first waiter was not admitted at the last attempt. */
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

/** Admits tools while the host carries them, in order of arrival (HC 8, C 14). */
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

  /** The number of held leases. */
  get activeTotal(): number {
    return this.#active.size;
  }

  /** The number of held leases of heavy tools. */
  get activeHeavy(): number {
    return this.#activeHeavy;
  }

  /** The held leases, oldest first. */
  get active(): readonly Lease[] {
    return [...this.#active.values()];
  }

  /** The number of waiting tools. */
  get waiting(): number {
    return this.#heavy.waiters.size + this.#light.waiters.size;
  }

  /**
   * Waits for a slot (HC 8, C 14).
   *
   * @param signal Ends the wait.
   * @param toolName The tool or its command line; only the label is kept.
   * @param pollIntervalMs How often to read the host while waiting. @default 5000
   * @param maxWaitMs The maximum wait; 0 waits until the signal aborts. @default 600000
   * @throws {ErrToolLeaseWaitTimeout} when the maximum wait has passed.
   * @throws {Error} when the signal aborts; its reason is the `cause`.
   */
  acquireToolLeaseWithContext(
    signal: AbortSignal,
    heavy: boolean,
    toolName: string,
    pollIntervalMs = POLL_INTERVAL_MS,
    maxWaitMs = DEFAULT_MAX_WAIT_MS,
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
      const message = `${label} found no free slot within ${maxWaitMs} ms: ${queue.reason}`;
      waiter.fail(new ErrToolLeaseWaitTimeout(message));
    }, Math.min(maxWaitMs, MAX_TIMER_MS));
    if (signal.aborted) {
      ended();
      return promise;
    }
    signal.addEventListener("abort", ended);
    queue.waiters.add(waiter);
    // Earlier waiters come first, and were not admitted when they arrived.
    if (queue.waiters.size === 1) this.#serve();
    if (queue.waiters.has(waiter)) this.#pollWithin(pollIntervalMs);
    return promise;
  }

  /** Grants leases to the longest waiting tools while the host admits them. */
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

  /** The first waiter of either queue that is admitted; the older one if both are. */
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

  /** Reads the host. Returns undefined and logs the error if that fails. */
  #read(): SystemStats | undefined {
    try {
      return this.#stats();
    } catch (error) {
      this.#heavy.reason = this.#light.reason = "the host cannot be read";
      this.#log?.error("Cannot read the capacity of the host", {
        error: asError(error),
      });
      return undefined;
    }
  }

  /** Reads the host again after `intervalMs`, and so on while tools wait. */
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

/** The error when the signal ends a wait. */
function endedError(label: string, slotReason: string, reason: unknown): Error {
  const timedOut = reason instanceof DOMException && reason.name === "TimeoutError";
  const ending = timedOut ? "timed out" : "was canceled";
  const suffix = slotReason === "" ? "" : `: ${slotReason}`;
  return new Error(`${label} ${ending} while waiting for a slot${suffix}`, { cause: reason });
}
