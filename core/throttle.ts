/** Keeps what is transferred to a rate, on average. */
export class Throttle {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When all that was taken may have been transferred. */
  #free = -Infinity;

  /** @param maxRate Bytes a second. @default unlimited */
  constructor(maxRate = Infinity, clock: Clock = SYSTEM_CLOCK) {
    this.#bytesPerMs = maxRate / 1000;
    this.#clock = clock;
  }

  /** Waits until all that was taken before has had its time, and takes so many bytes. */
  async take(bytes: number): Promise<void> {
    const now = this.#clock.now();
    const start = Math.max(now, this.#free);
    this.#free = start + bytes / this.#bytesPerMs;
    if (start > now) await this.#clock.sleep(start - now);
  }
}

/** In milliseconds. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
