/** Bounds how many holders there are at once. Waiters are served first come, first served. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param permits How many may hold it at once. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /**
   * Waits for a permit. Disposing of the permit releases it.
   *
   * @throws the signal's reason if it aborts first.
   */
  acquire(signal: AbortSignal): Promise<Disposable> {
    const { promise, resolve, reject } = Promise.withResolvers<Disposable>();
    const leave = () => {
      this.#waiting.delete(enter);
      signal.removeEventListener("abort", giveUp);
    };
    const giveUp = () => {
      leave();
      reject(signal.reason);
    };
    const enter = () => {
      leave();
      this.#free--;
      resolve(this.#permit());
    };
    signal.addEventListener("abort", giveUp);
    this.#waiting.add(enter);
    if (signal.aborted) giveUp();
    this.#grant();
    return promise;
  }

  #permit(): Disposable {
    const permit = new DisposableStack();
    permit.defer(() => {
      this.#free++;
      this.#grant();
    });
    return permit;
  }

  #grant(): void {
    for (const enter of [...this.#waiting].slice(0, this.#free)) enter();
  }
}
