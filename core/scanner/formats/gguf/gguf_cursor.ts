import { viewOf } from "../../readers/bytes/bytes.ts";
import { readAhead } from "../../readers/bytes/read_ahead.ts";
import type { ByteSource } from "../../contract/source.ts";

/** The content ended within a value. */
export class TruncatedError extends RangeError {
  override readonly name = "TruncatedError";
}

/** Reads numbers one after the other. */
export class GgufCursor {
  position = 0;
  readonly #source: ByteSource;

  constructor(source: ByteSource, public littleEndian: boolean) {
    this.#source = readAhead(source);
  }

  /** Bytes from the position to the end of the content. */
  get left(): number {
    return this.#source.size - this.position;
  }

  u8(): number {
    return this.#take(1).getUint8(0);
  }

  u32(): number {
    return this.#take(4).getUint32(0, this.littleEndian);
  }

  u64(): bigint {
    return this.#take(8).getBigUint64(0, this.littleEndian);
  }

  i64(): bigint {
    return this.#take(8).getBigInt64(0, this.littleEndian);
  }

  /** A signed number of 1, 2 or 4 bytes. */
  int(size: 1 | 2 | 4): number {
    const view = this.#take(size);
    if (size === 1) return view.getInt8(0);
    return size === 2 ? view.getInt16(0, this.littleEndian) : view.getInt32(0, this.littleEndian);
  }

  u16(): number {
    return this.#take(2).getUint16(0, this.littleEndian);
  }

  float(size: 4 | 8): number {
    const view = this.#take(size);
    return size === 4
      ? view.getFloat32(0, this.littleEndian)
      : view.getFloat64(0, this.littleEndian);
  }

  /** At most `most` bytes of `length` that come next; all of them are stepped over. */
  bytes(length: bigint, most: number): Uint8Array {
    const end = this.#endOf(length);
    const taken = Math.min(end - this.position, most);
    const bytes = this.#source.read(this.position, taken);
    this.position = end;
    return bytes;
  }

  /** Steps over `length` bytes, unread. */
  skip(length: bigint): void {
    this.position = this.#endOf(length);
  }

  #endOf(length: bigint): number {
    if (length > BigInt(this.left)) throw new TruncatedError(`${length} bytes are too many`);
    return this.position + Number(length);
  }

  #take(size: number): DataView {
    if (size > this.left) throw new TruncatedError(`${size} bytes are too many`);
    const bytes = this.#source.read(this.position, size);
    if (bytes.length < size) throw new TruncatedError(`${size} bytes are too many`);
    this.position += size;
    return viewOf(bytes);
  }
}
