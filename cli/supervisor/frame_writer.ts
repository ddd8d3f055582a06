import { encodeFrame } from "../../storage/scanners/frames.ts";

/** Writes messages to a pipe, in order. */
export class FrameWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  constructor(stream: WritableStream<Uint8Array>) {
    this.#writer = stream.getWriter();
  }

  /** Resolves when the pipe has taken the message, or is closed on the other side. */
  async write(header: object, body?: Uint8Array): Promise<void> {
    await this.writeAll(encodeFrame(header, body));
  }

  /** Writes pieces of bytes; see {@link write}. */
  async writeAll(pieces: readonly Uint8Array[]): Promise<void> {
    try {
      // Without waiting in between, as other messages would come between the pieces.
      await Promise.all(pieces.map((piece) => this.#writer.write(piece)));
    } catch {
      // The process on the other side has ended, which its owner notices.
    }
  }
}
