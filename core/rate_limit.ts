import { RetryLater } from "./errors.ts";

const MINUTE_MS = 60_000;
/** The most users that are remembered. */
const MAX_USERS = 100_000;

interface Bucket {
  /** How many requests the user may still make. */
  tokens: number;
  /** When that was, in milliseconds of a monotonic clock. */
  at: number;
}

/**
 * Limits the requests of each user, or of whatever else is counted. A user has a bucket of as many tokens as requests are allowed in a
 * minute. A request takes one, and they come back evenly. A full bucket need not be remembered.
 */
export class RateLimit<User = number> {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** By user, the one that asked longest ago first. */
  readonly #buckets = new Map<User, Bucket>();

  /** @param now The time in milliseconds. @default that of a monotonic clock */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** How many users are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Counts a request of the user.
   *
   * @throws {RetryLater} when it comes too early. It does not count then.
   */
  count(user: User): void {
    const now = this.#now();
    const tokens = this.#tokensOf(user, now);
    if (tokens < 1) {
      const waitMs = (1 - tokens) * MINUTE_MS / this.#perMinute;
      const message = `More than ${this.#perMinute} requests in a minute`;
      throw new RetryLater("ErrTooManyRequests", message, Math.max(1, Math.ceil(waitMs / 1000)));
    }
    this.#buckets.delete(user);
    this.#forgetFull(now);
    this.#buckets.set(user, { tokens: tokens - 1, at: now });
  }

  #tokensOf(user: User, now: number): number {
    const bucket = this.#buckets.get(user);
    if (bucket === undefined) return this.#perMinute;
    const regained = (now - bucket.at) * this.#perMinute / MINUTE_MS;
    return Math.min(this.#perMinute, bucket.tokens + regained);
  }

  /** Forgets users who have made no request for a minute: their buckets are full. */
  #forgetFull(now: number): void {
    for (const [user, { at }] of this.#buckets) {
      if (now - at < MINUTE_MS && this.#buckets.size < MAX_USERS) return;
      this.#buckets.delete(user);
    }
  }
}
