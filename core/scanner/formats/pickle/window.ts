import type { ByteSource } from "../../contract/source.ts";

const CHUNK = 64 * 1024;

const LINE_FEED = 0x0a;

/** A source seen through a buffer that is moved along, so that a walk through it reads it once. */
export class PickleWindow {
  readonly source: ByteSource;
  readonly size: number;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.source = source;
    this.size = source.size;
  }

  /** The byte at a place, or -1 behind the end. */
  byte(at: number): number {
    const inside = this.#bytes[at - this.#start];
    if (inside !== undefined) return inside;
    if (at >= this.size) return -1;
    this.#start = at;
    this.#bytes = this.source.read(at, CHUNK);
    return this.#bytes[0] ?? -1;
  }

  /** Bytes that are read from the buffer where it has them, and else without moving it. */
  bytes(at: number, length: number): Uint8Array {
    const first = at - this.#start;
    return first >= 0 && first + length <= this.#bytes.length
      ? this.#bytes.subarray(first, first + length)
      : this.source.read(at, length);
  }

  /** Where the line that begins here has its line feed, or -1 where it has none within the limit. */
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

  /** A little-endian number of up to 8 bytes; Infinity where it is over 2^53. */
  unsigned(at: number, bytes: number): number {
    let value = 0;
    for (let i = bytes - 1; i >= 0; i--) value = value * 256 + this.byte(at + i);
    return value > Number.MAX_SAFE_INTEGER ? Infinity : value;
  }
}
