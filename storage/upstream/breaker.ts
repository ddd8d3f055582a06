import { UpstreamAway } from "../../core/mirror/ports.ts";

/** So many failures in a row. */
const MAX_FAILURES = 3;
const REST_MS = 30_000;
const MAX_REST_S = 15 * 60;

/** Lets nothing through for a while after failures in a row, so that nobody waits for what is away. */
export class Breaker {
  #failures = 0;
  #restsUntil = 0;

  /** @param pauseMs For how long, in milliseconds. */
  constructor(private readonly pauseMs = REST_MS) {}

  /** How long it still rests, in milliseconds. */
  get restMs(): number {
    return Math.max(0, this.#restsUntil - performance.now());
  }

  /** @throws {UpstreamAway} while it rests. */
  requireClosed(host: string): void {
    const { restMs } = this;
    if (restMs === 0) return;
    const seconds = Math.ceil(restMs / 1000);
    throw new UpstreamAway(
      `${host} has failed, and is asked again in ${seconds} s`,
      restMs / 1000,
    );
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** @param retryAfterS When it asks to be asked again, in seconds; 0 if it does not say so. */
  failed(retryAfterS: number): void {
    this.#failures++;
    if (retryAfterS > 0) {
      this.#restsUntil = performance.now() + Math.min(retryAfterS, MAX_REST_S) * 1000;
    } else if (this.#failures >= MAX_FAILURES) {
      this.#restsUntil = performance.now() + this.pauseMs;
    }
  }
}
