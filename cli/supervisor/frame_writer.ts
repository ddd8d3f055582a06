import { encodeFrame } from "../../storage/scanners/frames.ts";

/** Writes messages to a pipe, in order. */
export class FrameWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  /** How many messages the pipe has yet to take. */
  #waiting = 0;

  /** Rejects when the pipe fails otherwise than by the end of the process on the other side. */
  readonly failed: Promise<never>;
  readonly #fail: (error: unknown) => void;

  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
    ({ promise: this.failed, reject: this.#fail } = Promise.withResolvers<never>());
    this.failed.catch(() => {});
  }

  /** Whether the pipe has taken all messages. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when the pipe has taken the message, or is closed on the other side. */
  async write(header: object, body?: Uint8Array): Promise<void> {
    await this.writeAll(encodeFrame(header, body));
  }

  /** Writes pieces of bytes; see {@link write}. */
  async writeAll(pieces: readonly Uint8Array[]): Promise<void> {
    this.#waiting++;
    try {
      // Without waiting in between, as other messages would come between the pieces.
      await Promise.all(pieces.map((piece) => this.#writer.write(piece)));
    } catch (error) {
      // The end of a process is noticed where its output is read.
      if (!(error instanceof Deno.errors.BrokenPipe)) this.#fail(error);
    } finally {
      this.#waiting--;
    }
  }
}
