import { KIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";

const WINDOW_BYTES = 16 * KIB;

/** Reads numbers at any position through one window of the source, without an allocation for each. */
export class NumberWindow {
  readonly #source: ByteSource;
  #start = 0;
  #end = 0;
  /** The bytes in memory. */
  view: DataView = new DataView(new ArrayBuffer(0));

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#source.size;
  }

  /**
   * The offset in {@link view} of the `length` bytes at a position, which are at most 16 KiB. Valid until
   * the next call; -1 if they are not all within the content.
   */
  offsetOf(position: number, length: number): number {
    if (position >= this.#start && position + length <= this.#end) return position - this.#start;
    if (!(position >= 0 && position + length <= this.#source.size)) return -1;
    const bytes = this.#source.read(position, WINDOW_BYTES);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#start = position;
    this.#end = position + bytes.length;
    return bytes.length < length ? -1 : 0;
  }

  /** The first `limit` of `length` bytes at a position; fewer at the end of the content. */
  bytes(position: number, length: number, limit: number): Uint8Array {
    const count = Math.min(length, limit);
    const offset = count <= WINDOW_BYTES ? this.offsetOf(position, count) : -1;
    if (offset < 0) return this.#source.read(position, count);
    return new Uint8Array(this.view.buffer, this.view.byteOffset + offset, count);
  }
}
