/** The requests under way, up to the last byte of their replies. */
export class InFlight {
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();
  #ending = false;

  /** Whether {@link end} has been called: nothing new is to be taken in. */
  get ending(): boolean {
    return this.#ending;
  }

  /** How many requests are under way. */
  get count(): number {
    return this.#count;
  }

  /** Counts a request until its end. */
  add(end: Promise<void>): void {
    this.#count++;
    end.then(() => {
      this.#count--;
      this.#settle();
    });
  }

  /** Settles when the requests that were under way have ended. */
  end(): Promise<void> {
    this.#ending = true;
    this.#settle();
    return this.#ended.promise;
  }

  #settle(): void {
    if (this.#ending && this.#count === 0) this.#ended.resolve();
  }
}
