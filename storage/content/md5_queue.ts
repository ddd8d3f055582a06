import { setImmediate } from "node:timers";
import { Md5, type Md5Update } from "./md5.ts";
import { LANES } from "./md5_lanes_module.ts";

/** How long bytes wait for those of other contents, in milliseconds. */
const MAX_WAIT_MS = 5;
/** Contents of which bytes have come within this time are waited for. */
const RECENT_MS = 50;

interface Waiting {
  readonly updates: readonly Md5Update[];
  readonly since: number;
  readonly done: () => void;
}

/**
 * Adds bytes to MD5s, to those of several contents at the same time if bytes of several have arrived, or are about to.
 */
export class Md5Queue {
  readonly #maxWaitMs: number;
  readonly #recentMs: number;
  #waiting: Waiting[] = [];
  /** When bytes of each content came last. */
  readonly #cameAt = new Map<Md5, number>();

  constructor({ maxWaitMs = MAX_WAIT_MS, recentMs = RECENT_MS } = {}) {
    this.#maxWaitMs = maxWaitMs;
    this.#recentMs = recentMs;
  }

  /** Returns when the bytes are added. Those of one MD5 are added in the order of the calls. */
  add(updates: readonly Md5Update[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const since = performance.now();
    for (const { md5 } of updates) this.#cameAt.set(md5, since);
    if (this.#waiting.push({ updates, since, done: resolve }) === 1) this.#addLater();
    return promise;
  }

  /** No more bytes come of a content. */
  end(md5: Md5): void {
    this.#cameAt.delete(md5);
  }

  /** Lets the thread receive what has been sent to it. */
  #addLater(): void {
    setImmediate(() => {
      if (this.#waitsForOthers()) {
        setTimeout(() => this.#addLater(), 1);
        return;
      }
      this.#addNext();
      if (this.#waiting.length > 0) this.#addLater();
    });
  }

  /** Whether bytes of other contents are about to come. What already has more waiting is not kept from that. */
  #waitsForOthers(): boolean {
    const now = performance.now();
    for (const [md5, cameAt] of this.#cameAt) {
      if (now - cameAt > this.#recentMs) this.#cameAt.delete(md5);
    }
    const waiting = this.#waiting.flatMap(({ updates }) => updates.map(({ md5 }) => md5));
    const hasMore = new Set(waiting).size < waiting.length;
    const since = this.#waiting[0]?.since ?? now;
    return !hasMore && waiting.length < Math.min(LANES, this.#cameAt.size) &&
      now - since < this.#maxWaitMs;
  }

  /** Adds what has waited the longest, for as many contents as are computed at a time. */
  #addNext(): void {
    const seen = new Set<Md5>();
    const batch: Waiting[] = [];
    for (const it of this.#waiting) {
      if (batch.length === LANES) break;
      if (!it.updates.some(({ md5 }) => seen.has(md5))) batch.push(it);
      for (const { md5 } of it.updates) seen.add(md5);
    }
    this.#waiting = this.#waiting.filter((it) => !batch.includes(it));
    Md5.updateAll(batch.flatMap(({ updates }) => updates));
    for (const { done } of batch) done();
  }
}
