import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import type { SettledTime } from "../settled_time.ts";
import type { ScanStore } from "./ports.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** What {@link ScanRetention} works with. */
export interface ScanRetentionOptions {
  readonly scans: Pick<ScanStore, "removeEnded">;
  /** How many days scans are kept after their end; 0 for ever. */
  readonly days: number;
  readonly settledTime: SettledTime;
  readonly log: Log;
  /** The time between two removals, in milliseconds. @default one hour */
  readonly intervalMs?: number;
}

/** Removes scans and their reports some days after their end (C 15): at once, then every hour. */
export class ScanRetention implements AsyncDisposable {
  readonly #options: ScanRetentionOptions;
  readonly #periodic: Periodic | undefined;

  constructor(options: ScanRetentionOptions) {
    this.#options = options;
    if (options.days === 0) return;
    this.#periodic = new Periodic(() => this.#remove(), options.intervalMs ?? HOUR_MS);
  }

  /** Ends the removals, after the one that is running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#periodic?.[Symbol.asyncDispose]();
  }

  async #remove(): Promise<void> {
    const { scans, days, settledTime, log } = this.#options;
    try {
      const removed = await scans.removeEnded(await settledTime() - days * DAY_MS);
      if (removed > 0) log.info("Removed expired scans", { scans: removed });
    } catch (error) {
      // The next removal tries again.
      log.error("Cannot remove expired scans", { error: asError(error) });
    }
  }
}
