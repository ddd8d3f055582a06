/**
 * Notices a connection that says nothing while replies are awaited. If the machine of the engine is gone, or
 * something between has forgotten the connection, the system notices only after a quarter of an hour.
 * See docs/design/postgres.md.
 */
export class Silence {
  readonly #onSilent: () => Promise<void>;
  #awaited = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ms How long a silence may be, in milliseconds; Infinity for any time.
   * @param onSilent Called when it is longer, and each time that it is as long again.
   */
  constructor(public ms: number, onSilent: () => Promise<void>) {
    this.#onSilent = onSilent;
  }

  /** Watches while a reply is awaited. */
  async during<T>(reply: Promise<T>): Promise<T> {
    if (this.#awaited++ === 0) this.#begin();
    try {
      return await reply;
    } finally {
      clearTimeout(this.#timer);
      if (--this.#awaited > 0) this.#begin();
    }
  }

  #begin(): void {
    clearTimeout(this.#timer);
    if (this.ms === Infinity) return;
    const end = async () => {
      await this.#onSilent();
      if (this.#awaited > 0) this.#begin();
    };
    this.#timer = setTimeout(() => {
      // A process that was stopped for so long first reads what has come.
      this.#timer = setTimeout(end, this.ms / 10);
    }, this.ms);
  }
}
