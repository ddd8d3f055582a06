/**
 * Messages between processes, over pipes: a JSON header and bytes. The lengths of both come first, as
 * 32-bit integers, little end first.
 */

/** A message, as it was received. Its header is whatever the sender wrote. */
export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The most bytes of the parts of a frame that a receiver accepts. */
export interface FrameLimits {
  readonly maxHeaderBytes: number;
  readonly maxBodyBytes: number;
}

const PREFIX_BYTES = 8;
const NO_BYTES = new Uint8Array();
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** The bytes of a frame in pieces, so that a large body is not copied. */
export function encodeFrame(header: object, body: Uint8Array = NO_BYTES): Uint8Array[] {
  const text = encoder.encode(JSON.stringify(header));
  const head = new Uint8Array(PREFIX_BYTES + text.length);
  const lengths = new DataView(head.buffer);
  lengths.setUint32(0, text.length, true);
  lengths.setUint32(4, body.length, true);
  head.set(text, PREFIX_BYTES);
  return body.length === 0 ? [head] : [head, body];
}

/** Reads frames from a stream of bytes that is cut anywhere. */
export class FrameDecoder {
  readonly #limits: FrameLimits;
  /** What is being filled: the lengths, or the header and the body. */
  #part = new Uint8Array(PREFIX_BYTES);
  #filled = 0;
  /** The length of the header, once it is known. */
  #headerBytes: number | undefined;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /**
   * Adds bytes, and returns the frames that they complete.
   *
   * @throws {RangeError} when a frame is larger than the limits.
   * @throws {Error} when a header is not JSON in UTF-8.
   */
  *push(bytes: Uint8Array): Generator<Frame, void, void> {
    for (let rest = bytes; rest.length > 0 || this.#isFull;) {
      const piece = rest.subarray(0, this.#part.length - this.#filled);
      this.#part.set(piece, this.#filled);
      this.#filled += piece.length;
      rest = rest.subarray(piece.length);
      if (!this.#isFull) return;
      const frame = this.#next();
      if (frame !== undefined) yield frame;
    }
  }

  get #isFull(): boolean {
    return this.#filled === this.#part.length;
  }

  /** Begins the next part. Returns the frame if this one was its last. */
  #next(): Frame | undefined {
    const part = this.#part;
    this.#filled = 0;
    if (this.#headerBytes === undefined) {
      const lengths = new DataView(part.buffer);
      this.#expect(lengths.getUint32(0, true), lengths.getUint32(4, true));
      return undefined;
    }
    const header: unknown = JSON.parse(decoder.decode(part.subarray(0, this.#headerBytes)));
    const body = part.subarray(this.#headerBytes);
    this.#headerBytes = undefined;
    this.#part = new Uint8Array(PREFIX_BYTES);
    return { header, body };
  }

  #expect(headerBytes: number, bodyBytes: number): void {
    const { maxHeaderBytes, maxBodyBytes } = this.#limits;
    if (headerBytes > maxHeaderBytes || bodyBytes > maxBodyBytes) {
      throw new RangeError(`A message of ${headerBytes} and ${bodyBytes} bytes is too large`);
    }
    this.#headerBytes = headerBytes;
    this.#part = new Uint8Array(headerBytes + bodyBytes);
  }
}

/**
 * The frames of a stream.
 *
 * @throws what {@link FrameDecoder.push} throws.
 */
export async function* readFrames(
  stream: ReadableStream<Uint8Array>,
  limits: FrameLimits,
): AsyncGenerator<Frame, void, void> {
  const decoder = new FrameDecoder(limits);
  for await (const bytes of stream) yield* decoder.push(bytes);
}
