import type { ByteSource } from "../../contract/source.ts";
import { MalformedError } from "../malformed.ts";
import { NumberWindow } from "./number_window.ts";

/**
 * Reads little-endian or big-endian numbers and texts in sequence, holding one window of the source in
 * memory. Every method throws a {@link MalformedError} at the end of the content.
 */
export class NumberCursor {
  position = 0;
  readonly #window: NumberWindow;
  readonly #littleEndian: boolean;

  constructor(source: ByteSource, littleEndian = true) {
    this.#window = new NumberWindow(source);
    this.#littleEndian = littleEndian;
  }

  get bytesLeft(): number {
    return this.#window.size - this.position;
  }

  u8(): number {
    const offset = this.#take(1);
    return this.#window.view.getUint8(offset);
  }

  i8(): number {
    const offset = this.#take(1);
    return this.#window.view.getInt8(offset);
  }

  u16(): number {
    const offset = this.#take(2);
    return this.#window.view.getUint16(offset, this.#littleEndian);
  }

  i16(): number {
    const offset = this.#take(2);
    return this.#window.view.getInt16(offset, this.#littleEndian);
  }

  u32(): number {
    const offset = this.#take(4);
    return this.#window.view.getUint32(offset, this.#littleEndian);
  }

  i32(): number {
    const offset = this.#take(4);
    return this.#window.view.getInt32(offset, this.#littleEndian);
  }

  /** A 64-bit integer as a number, which is exact up to 2^53. */
  u64(): number {
    const offset = this.#take(8);
    return Number(this.#window.view.getBigUint64(offset, this.#littleEndian));
  }

  /** A 64-bit integer as a number, which is exact up to 2^53. */
  i64(): number {
    const offset = this.#take(8);
    return Number(this.#window.view.getBigInt64(offset, this.#littleEndian));
  }

  f32(): number {
    const offset = this.#take(4);
    return this.#window.view.getFloat32(offset, this.#littleEndian);
  }

  f64(): number {
    const offset = this.#take(8);
    return this.#window.view.getFloat64(offset, this.#littleEndian);
  }

  /** Decodes the first `limit` of the next `length` bytes as UTF-8, and skips the others. */
  text(length: number, limit: number): string {
    return DECODER.decode(this.bytes(length, limit));
  }

  /** Reads the first `limit` of the next `length` bytes, and skips the others. */
  bytes(length: number, limit: number): Uint8Array {
    const start = this.position;
    this.skip(length);
    return this.#window.bytes(start, length, limit);
  }

  skip(length: number): void {
    if (!(length >= 0 && length <= this.bytesLeft)) throw this.#truncated(length);
    this.position += length;
  }

  /** Where the next bytes are in the window. Moves past them. */
  #take(size: number): number {
    const offset = this.#window.offsetOf(this.position, size);
    if (offset < 0) throw this.#truncated(size);
    this.position += size;
    return offset;
  }

  #truncated(expected: number): MalformedError {
    const message = `The file is truncated: expected ${expected} more bytes at ${this.position}`;
    return new MalformedError("truncated", message);
  }
}

const DECODER = new TextDecoder();
