import type { CapacityOverview } from "../../schemas/capacity.ts";
import { capacityOverview, type HostCapacity } from "./overview.ts";

/** How often the host is read, in milliseconds, and how many readings are kept: those of an hour. */
const INTERVAL_MS = 30_000;
const MAX_READINGS = 120;

/** The host at a time. */
export interface CapacityReading
  extends Pick<CapacityOverview, "readings" | "level" | "instances"> {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** The scans that wait on all servers. Undefined if their queue could not be read. */
  readonly waiting: number | undefined;
}

export interface CapacityHistoryOptions {
  readonly host: HostCapacity;
  /** The scans that wait. */
  readonly queued: () => Promise<number>;
  /** How often the host is read, in milliseconds. @default 30000 */
  readonly intervalMs?: number | undefined;
}

/** Readings of the host of this server over the last hour, in memory (C 24). See docs/design/capacity.md. */
export class CapacityHistory implements Disposable {
  readonly intervalMs: number;
  readonly #options: CapacityHistoryOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #kept: CapacityReading[] = [];

  constructor(options: CapacityHistoryOptions) {
    this.#options = options;
    const { intervalMs = INTERVAL_MS } = options;
    this.intervalMs = intervalMs;
    this.#timer = setInterval(() => void this.#keep(), intervalMs);
  }

  /** The readings, oldest first. The last one is made now. */
  async readings(): Promise<CapacityReading[]> {
    return [...this.#kept, await this.#read()];
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #keep(): Promise<void> {
    this.#kept.push(await this.#read());
    if (this.#kept.length > MAX_READINGS) this.#kept.shift();
  }

  async #read(): Promise<CapacityReading> {
    const { host, queued } = this.#options;
    const { readings, level, instances } = capacityOverview(host);
    const at = Date.now();
    // The readings of the host are of use while the database is away.
    const waiting = await queued().catch(() => undefined);
    return { at, readings, level, instances, waiting };
  }
}
