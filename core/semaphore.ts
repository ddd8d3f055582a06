/** Bounds how many holders there are at once. Waiters are served first come, first served. */
export class Semaphore {
  #free: number;
  readonly #maxOfUser: number;
  /** How many permits each user holds. */
  readonly #held = new Map<number, number>();
  /** Those who wait, with their user. */
  readonly #waiting = new Map<() => void, number | undefined>();

  /**
   * @param permits How many may hold it at once.
   * @param maxOfUser How many of one user may. Others do not wait for those that wait for this.
   */
  constructor(permits: number, maxOfUser = permits) {
    this.#free = permits;
    this.#maxOfUser = maxOfUser;
  }

  /** How many permits a user holds. */
  heldBy(userId: number): number {
    return this.#held.get(userId) ?? 0;
  }

  /** How many of a user wait. */
  waitingOf(userId: number): number {
    return [...this.#waiting.values()].filter((it) => it === userId).length;
  }

  /** A permit, if there is one now. */
  tryAcquire(userId?: number): Disposable | undefined {
    return this.#mayEnter(userId) ? this.#permit(userId) : undefined;
  }

  /**
   * Waits for a permit. Disposing of the permit releases it.
   *
   * @throws the signal's reason if it aborts first.
   */
  acquire(signal: AbortSignal, userId?: number): Promise<Disposable> {
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
      resolve(this.#permit(userId));
    };
    signal.addEventListener("abort", giveUp);
    this.#waiting.set(enter, userId);
    if (signal.aborted) giveUp();
    this.#grant();
    return promise;
  }

  #mayEnter(userId: number | undefined): boolean {
    if (this.#free === 0) return false;
    return userId === undefined || this.heldBy(userId) < this.#maxOfUser;
  }

  #permit(userId: number | undefined): Disposable {
    this.#count(userId, 1);
    const permit = new DisposableStack();
    permit.defer(() => {
      this.#count(userId, -1);
      this.#grant();
    });
    return permit;
  }

  #count(userId: number | undefined, change: 1 | -1): void {
    this.#free -= change;
    if (userId === undefined) return;
    const held = this.heldBy(userId) + change;
    if (held === 0) this.#held.delete(userId);
    else this.#held.set(userId, held);
  }

  #grant(): void {
    for (const [enter, userId] of this.#waiting) {
      if (this.#free === 0) return;
      if (this.#mayEnter(userId)) enter();
    }
  }
}
