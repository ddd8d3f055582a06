/** Bounds how many holders there are at once. Waiters are served first come, first served. */
export class Semaphore<User = number> {
  #free: number;
  readonly #maxOfUser: number;
  /** How many permits each user holds. */
  readonly #held = new Map<User, number>();
  /** Those who wait, with their user. */
  readonly #waiting = new Map<() => void, User | undefined>();

  /**
   * @param permits How many may hold it at once.
   * @param maxOfUser How many of one user may. Others do not wait for those that wait for this.
   */
  constructor(permits: number, maxOfUser = permits) {
    this.#free = permits;
    this.#maxOfUser = maxOfUser;
  }

  /** How many permits a user holds. */
  heldBy(user: User): number {
    return this.#held.get(user) ?? 0;
  }

  /** How many of a user wait. */
  waitingOf(user: User): number {
    return [...this.#waiting.values()].filter((it) => it === user).length;
  }

  /** A permit, if there is one now. */
  tryAcquire(user?: User): Disposable | undefined {
    return this.#mayEnter(user) ? this.#permit(user) : undefined;
  }

  /**
   * Waits for a permit. Disposing of the permit releases it.
   *
   * @throws the signal's reason if it aborts first.
   */
  acquire(signal: AbortSignal, user?: User): Promise<Disposable> {
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
      resolve(this.#permit(user));
    };
    signal.addEventListener("abort", giveUp);
    this.#waiting.set(enter, user);
    if (signal.aborted) giveUp();
    this.#grant();
    return promise;
  }

  #mayEnter(user: User | undefined): boolean {
    if (this.#free === 0) return false;
    return user === undefined || this.heldBy(user) < this.#maxOfUser;
  }

  #permit(user: User | undefined): Disposable {
    this.#count(user, 1);
    const permit = new DisposableStack();
    permit.defer(() => {
      this.#count(user, -1);
      this.#grant();
    });
    return permit;
  }

  #count(user: User | undefined, change: 1 | -1): void {
    this.#free -= change;
    if (user === undefined) return;
    const held = this.heldBy(user) + change;
    if (held === 0) this.#held.delete(user);
    else this.#held.set(user, held);
  }

  #grant(): void {
    for (const [enter, user] of this.#waiting) {
      if (this.#free === 0) return;
      if (this.#mayEnter(user)) enter();
    }
  }
}
