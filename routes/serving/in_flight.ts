/** The requests in flight, up to the last byte of their replies. */
export class InFlight {
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();
  #ending = false;

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

  /** Resolves when no request is in flight. */
  end(): Promise<void> {
    this.#ending = true;
    this.#settle();
    return this.#ended.promise;
  }

  #settle(): void {
    if (this.#ending && this.#count === 0) this.#ended.resolve();
  }
}
