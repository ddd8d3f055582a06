import type { FindFault } from "../../routes/serving/route.ts";

/** An answer is at most this old, and the 2 s that finding it may take. */
const INTERVAL_MS = 2500;
/** Without a request for this long, probes stop until the next one. */
const IDLE_MS = 60_000;

/**
 * Whether the server can serve. A probe in the background keeps the answer up to date while `/readyz` is in use,
 * so a request costs nothing, and no answer is older than 5 s (C 31).
 */
export class Readiness implements AsyncDisposable {
  readonly #find: FindFault;
  #latest: ReturnType<FindFault> | undefined;
  #finding: Promise<unknown> = Promise.resolve();
  #askedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param find Ends within 2 s, and never fails. */
  constructor(find: FindFault) {
    this.#find = find;
  }

  /** What is wrong. Only the first one who asks waits. */
  readonly findFault: FindFault = () => {
    this.#askedAt = performance.now();
    if (this.#latest === undefined) {
      this.#finding = this.#latest = this.#find();
      this.#schedule();
    }
    return this.#latest;
  };

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#finding;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      if (performance.now() - this.#askedAt > IDLE_MS) {
        this.#latest = undefined;
        return;
      }
      const found = this.#find();
      this.#finding = found.then(() => {
        this.#latest = found;
        this.#schedule();
      });
    }, INTERVAL_MS);
  }
}
