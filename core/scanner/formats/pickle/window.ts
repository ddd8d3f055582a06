import type { ByteSource } from "../../contract/source.ts";
import { KIB } from "../../../../schemas/units.ts";

const CHUNK_BYTES = 64 * KIB;
/** What is read first after data that was skipped: often, little follows before more of it. */
const FIRST_BYTES = 4 * KIB;

const LINE_FEED = 0x0a;

/** A buffered view of a source that slides forward, so that one walk reads each byte once. */
export class PickleWindow {
  readonly source: ByteSource;
  readonly size: number;
  /** Whether the source is only the beginning of its content. */
  readonly isCut: boolean;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.source = source;
    this.size = source.size;
    this.isCut = source.isCut ?? false;
  }

  /** Returns the byte at an offset, or -1 past the end. */
  byte(at: number): number {
    const buffered = this.#bytes[at - this.#start];
    if (buffered !== undefined) return buffered;
    if (at >= this.size) return -1;
    const { length } = this.#bytes;
    const goesOn = length > 0 && at === this.#start + length;
    this.#start = at;
    this.#bytes = this.source.read(
      at,
      goesOn ? Math.min(2 * length, CHUNK_BYTES) : FIRST_BYTES,
    );
    return this.#bytes[0] ?? -1;
  }

  /** Returns bytes from the buffer, or reads them from the source without moving the buffer. */
  bytes(at: number, length: number): Uint8Array {
    const first = at - this.#start;
    return first >= 0 && first + length <= this.#bytes.length
      ? this.#bytes.subarray(first, first + length)
      : this.source.read(at, length);
  }

  /** Returns the offset of the line feed that ends a line, or -1 if none is within the limit. */
  lineEnd(from: number, limit: number): number {
    const stop = Math.min(this.size, from + limit + 1);
    let at = from;
    while (at < stop) {
      if (this.byte(at) < 0) return -1;
      const first = at - this.#start;
      const found = this.#bytes.indexOf(LINE_FEED, first);
      if (found >= 0) return this.#start + found < stop ? this.#start + found : -1;
      at = this.#start + this.#bytes.length;
    }
    return -1;
  }

  /** Returns a little-endian number of up to 8 bytes, or Infinity if it is over 2^53. */
  unsigned(at: number, bytes: number): number {
    let value = 0;
    for (let i = bytes - 1; i >= 0; i--) value = value * 256 + this.byte(at + i);
    return value > Number.MAX_SAFE_INTEGER ? Infinity : value;
  }
}
