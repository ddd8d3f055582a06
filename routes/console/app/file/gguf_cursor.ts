import { HeaderError } from "../preview/header.ts";

/** Thrown when the header goes on after the bytes at hand. */
export class MoreNeeded extends Error {}

/** Reads the values of a GGUF header in sequence. Each method throws {@link MoreNeeded} at the end. */
export class GgufCursor {
  readonly version: number;
  readonly #view: DataView;
  readonly #littleEndian: boolean;
  #at = 4;

  /** @throws {HeaderError} when the version is unknown. */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#view = new DataView(bytes.buffer);
    const version = this.#view.getUint32(this.#take(4), true);
    // Versions are small, so a number with its low half empty is in the other byte order.
    this.#littleEndian = (version & 0xffff) !== 0;
    this.version = this.#littleEndian ? version : this.#view.getUint32(4, false);
    if (this.version < 1 || this.version > 3) {
      throw new HeaderError(`GGUF version ${this.version} is unknown`);
    }
  }

  /** How much was read, in bytes. */
  get at(): number {
    return this.#at;
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), this.#littleEndian);
  }

  /** A count or a length: 4 bytes in version 1, 8 bytes later. */
  count(): bigint {
    return this.version === 1 ? BigInt(this.u32()) : this.u64();
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), this.#littleEndian);
  }

  /** A string, of which the beginning is decoded: enough to show. */
  text(): string {
    const length = this.count();
    const at = this.skip(length);
    const shown = Math.min(Number(length), 2000);
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, at, shown));
  }

  /** Passes bytes. Returns where they begin. */
  skip(length: bigint): number {
    return this.#take(length > BigInt(this.#view.byteLength) ? Infinity : Number(length));
  }

  /** A value of a type of fixed size. */
  number(type: string): number | bigint | boolean {
    const view = this.#view;
    const little = this.#littleEndian;
    switch (type) {
      case "u8":
        return view.getUint8(this.#take(1));
      case "i8":
        return view.getInt8(this.#take(1));
      case "bool":
        return view.getUint8(this.#take(1)) !== 0;
      case "u16":
        return view.getUint16(this.#take(2), little);
      case "i16":
        return view.getInt16(this.#take(2), little);
      case "u32":
        return this.u32();
      case "i32":
        return view.getInt32(this.#take(4), little);
      case "f32":
        return view.getFloat32(this.#take(4), little);
      case "u64":
        return this.u64();
      case "i64":
        return view.getBigInt64(this.#take(8), little);
      default:
        return view.getFloat64(this.#take(8), little);
    }
  }

  #take(length: number): number {
    const start = this.#at;
    if (start + length > this.#view.byteLength) throw new MoreNeeded();
    this.#at += length;
    return start;
  }
}
