/** The requests in flight, up to the last byte of their replies. */
export class InFlight {
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();
  #ending = false;
  #draining = false;

  /**
   * Whether {@link drain} was called: requests are taken, and the server says that it is not ready, so that others
   * get those that follow.
   */
  get draining(): boolean {
    return this.#draining;
  }

  /** Whether {@link end} was called: new requests are refused. */
  get ending(): boolean {
    return this.#ending;
  }

  /** How many requests are in flight. */
  get count(): number {
    return this.#count;
  }

  /** Counts a request, until {@link remove} is called for it. */
  add(): void {
    this.#count++;
  }

  remove(): void {
    this.#count--;
    this.#settle();
  }

  /** Begins to stop, but refuses no request yet. */
  drain(): void {
    this.#draining = true;
  }

  /** Refuses new requests. Resolves when none is in flight. */
  end(): Promise<void> {
    this.#ending = true;
    this.#settle();
    return this.#ended.promise;
  }

  #settle(): void {
    if (this.#ending && this.#count === 0) this.#ended.resolve();
  }
}
