/** How long a server that can be reached is silent at most, in milliseconds: streams of events have a sign of life every 15 s. */
const MAX_SILENCE_MS = 35_000;

/**
 * Notices that nothing arrives any more. A connection that has died without a word, such as that of a computer
 * that has changed its network, would be waited for without an end.
 */
export class Watch {
  readonly #abort = new AbortController();
  readonly #silent: () => Error;
  #timer: number | undefined;

  /** @param silent The reason for which {@link signal} aborts. */
  constructor(silent: () => Error) {
    this.#silent = silent;
  }

  /** Aborts when nothing has arrived for too long. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Something has arrived, or is about to: waits for what comes next. */
  wait(): void {
    this.rest();
    this.#timer = setTimeout(() => this.#abort.abort(this.#silent()), MAX_SILENCE_MS);
  }

  /** Waits for nothing. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** Passes a body on, and waits while the reader does. */
  over(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        this.wait();
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } finally {
          this.rest();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    }, { highWaterMark: 0 });
  }
}
