import type { ByteSource } from "../../contract/source.ts";
import { MalformedError } from "../malformed.ts";
import { viewOf } from "./bytes.ts";
import { readAhead } from "./read_ahead.ts";

/**
 * Reads little-endian or big-endian numbers and texts in sequence, holding one window of the source in
 * memory. Every method throws a {@link MalformedError} at the end of the content.
 */
export class NumberCursor {
  position = 0;
  readonly #source: ByteSource;
  readonly #littleEndian: boolean;

  constructor(source: ByteSource, littleEndian = true) {
    this.#source = readAhead(source);
    this.#littleEndian = littleEndian;
  }

  get bytesLeft(): number {
    return this.#source.size - this.position;
  }

  u8(): number {
    return this.#take(1).getUint8(0);
  }

  i8(): number {
    return this.#take(1).getInt8(0);
  }

  u16(): number {
    return this.#take(2).getUint16(0, this.#littleEndian);
  }

  i16(): number {
    return this.#take(2).getInt16(0, this.#littleEndian);
  }

  u32(): number {
    return this.#take(4).getUint32(0, this.#littleEndian);
  }

  i32(): number {
    return this.#take(4).getInt32(0, this.#littleEndian);
  }

  /** A 64-bit integer as a number, which is exact up to 2^53. */
  u64(): number {
    return Number(this.#take(8).getBigUint64(0, this.#littleEndian));
  }

  /** A 64-bit integer as a number, which is exact up to 2^53. */
  i64(): number {
    return Number(this.#take(8).getBigInt64(0, this.#littleEndian));
  }

  f32(): number {
    return this.#take(4).getFloat32(0, this.#littleEndian);
  }

  f64(): number {
    return this.#take(8).getFloat64(0, this.#littleEndian);
  }

  /** Decodes the first `limit` of the next `length` bytes as UTF-8, and skips the others. */
  text(length: number, limit: number): string {
    return new TextDecoder().decode(this.bytes(length, limit));
  }

  /** Reads the first `limit` of the next `length` bytes, and skips the others. */
  bytes(length: number, limit: number): Uint8Array {
    const start = this.position;
    this.skip(length);
    return this.#source.read(start, Math.min(length, limit));
  }

  skip(length: number): void {
    if (!(length >= 0 && length <= this.bytesLeft)) throw this.#truncated(length);
    this.position += length;
  }

  #take(size: number): DataView {
    if (size > this.bytesLeft) throw this.#truncated(size);
    const bytes = this.#source.read(this.position, size);
    if (bytes.length < size) throw this.#truncated(size);
    this.position += size;
    return viewOf(bytes);
  }

  #truncated(expected: number): MalformedError {
    const message = `The file is truncated: expected ${expected} more bytes at ${this.position}`;
    return new MalformedError("truncated", message);
  }
}
