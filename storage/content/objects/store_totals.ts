const METHODS = ["GET", "PUT", "POST", "DELETE"] as const;
const FAILURES = ["unreachable", "refused", "failed"] as const;

/** The requests to an object store since the start. Each attempt counts: the store is paid for it. */
export class StoreTotals {
  readonly #requests = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  #seconds = 0;

  /**
   * Counts a request.
   *
   * @param status That of the reply; undefined if there was none.
   * @param ms How long it took to the head of the reply, in milliseconds.
   */
  count(method: (typeof METHODS)[number], status: number | undefined, ms: number): void {
    add(this.#requests, method);
    this.#seconds += ms / 1000;
    if (status === undefined) add(this.#failures, FAILURES[0]);
    // What is missing is an answer, too.
    else if (status >= 400 && status !== 404) add(this.#failures, FAILURES[status < 500 ? 1 : 2]);
  }

  /** By method. */
  get requests(): Record<string, number> {
    return valuesOf(this.#requests, METHODS);
  }

  /** Those without a reply, those that the store refused, and those in which it failed. */
  get failures(): Record<string, number> {
    return valuesOf(this.#failures, FAILURES);
  }

  /** How long the store took, in seconds. */
  get seconds(): number {
    return this.#seconds;
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function valuesOf(
  counts: ReadonlyMap<string, number>,
  keys: readonly string[],
): Record<string, number> {
  return Object.fromEntries(keys.map((key) => [key, counts.get(key) ?? 0]));
}
