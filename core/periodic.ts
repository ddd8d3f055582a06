/** Runs work at once and then in intervals, never twice at the same time. */
export class Periodic implements AsyncDisposable {
  readonly #timer: ReturnType<typeof setInterval>;
  #running: Promise<void>;

  /** @param work Handles its own failures. */
  constructor(work: () => Promise<void>, intervalMs: number) {
    this.#running = work();
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(work);
    }, intervalMs);
  }

  /** Ends it, after the work that is running. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}
