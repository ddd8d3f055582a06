/** A number of places for what takes much memory, given out first come, first served. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a place, which is given back when it is disposed of.
   *
   * @throws the signal's reason where it aborts before.
   */
  take(signal: AbortSignal): Promise<Disposable> {
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
      resolve(this.#place());
    };
    signal.addEventListener("abort", giveUp);
    this.#waiting.add(enter);
    if (signal.aborted) giveUp();
    this.#serve();
    return promise;
  }

  #place(): Disposable {
    const place = new DisposableStack();
    place.defer(() => {
      this.#free++;
      this.#serve();
    });
    return place;
  }

  #serve(): void {
    for (const enter of [...this.#waiting].slice(0, this.#free)) enter();
  }
}
