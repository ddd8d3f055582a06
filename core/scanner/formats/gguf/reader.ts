import { viewOf } from "../../readers/bytes/bytes.ts";
import { readAhead } from "../../readers/bytes/read_ahead.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unreadable.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Thrown when the rest of a file cannot be read. */
export class UnreadableError extends Error implements Unreadable {
  override readonly name = "UnreadableError";

  constructor(readonly reason: string, message: string, readonly operational = false) {
    super(message);
  }
}

/** Value types of the metadata, by their number in the file. */
const VALUE_TYPES = [
  "u8",
  "i8",
  "u16",
  "i16",
  "u32",
  "i32",
  "f32",
  "bool",
  "string",
  "array",
  "u64",
  "i64",
  "f64",
] as const;

type ValueType = typeof VALUE_TYPES[number];
type FixedType = Exclude<ValueType, "string" | "array">;

/** Bytes of a value whose type has a fixed size. */
const FIXED_BYTES: Readonly<Record<FixedType, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 1,
  u64: 8,
  i64: 8,
  f64: 8,
};

/** A metadata value. Of strings, the first bytes are decoded; `length` is the length in the file. */
export type MetadataValue =
  | { readonly type: "text"; readonly text: string; readonly length: bigint }
  | { readonly type: "number"; readonly value: number | bigint | boolean }
  | { readonly type: "array"; readonly element: ValueType; readonly count: bigint };

/** Strings and nested arrays, in all arrays of a file together. */
const MAX_ELEMENTS = 4_000_000;
/** Levels of nested arrays. Published models do not nest them at all. */
const MAX_ARRAY_DEPTH = 4;
/** Bytes decoded of one string. */
const MAX_STRING_BYTES = MIB;
/** Bytes decoded of all strings together. */
const MAX_STRINGS_BYTES = 256 * MIB;
const MAGIC_BYTES = 4n;

/** Reads the parts of a GGUF file of version 1, 2 or 3, in either byte order. */
export class GgufReader {
  readonly cursor: GgufCursor;
  readonly version: number;
  #elements = 0;
  #stringBytes = 0;

  /** @throws {UnreadableError} when the content ends before its version number does. */
  constructor(source: ByteSource) {
    this.cursor = new GgufCursor(source);
    this.cursor.skip(MAGIC_BYTES);
    const version = this.cursor.u32();
    // Versions are small, so a number with its low half empty is in the other byte order.
    this.cursor.littleEndian = (version & 0xffff) !== 0 || version === 0;
    this.version = this.cursor.littleEndian ? version : byteSwapped(version);
  }

  /** Reads a count or length: 4 bytes in version 1, 8 bytes later. */
  count(): bigint {
    return this.version === 1 ? BigInt(this.cursor.u32()) : this.cursor.u64();
  }

  /**
   * Reads a string, of which at most 1 MiB is decoded.
   *
   * @throws {UnreadableError} when the string is truncated, or the file has too much text.
   */
  text(): { readonly text: string; readonly length: bigint } {
    const length = this.count();
    const limit = Math.min(MAX_STRING_BYTES, MAX_STRINGS_BYTES - this.#stringBytes);
    const bytes = this.cursor.bytes(length, limit);
    if (bytes.length < Number(length) && limit < MAX_STRING_BYTES) {
      throw new UnreadableError("metadata_too_long", "Metadata has too much text to read", true);
    }
    this.#stringBytes += bytes.length;
    return { text: new TextDecoder().decode(bytes), length };
  }

  /**
   * Reads a metadata value.
   *
   * @param onArrayText Receives each string in an array.
   *
   * @throws {UnreadableError} when the value is truncated, malformed or exceeds a limit.
   */
  value(onArrayText: (text: string) => void): MetadataValue {
    const type = this.#type();
    switch (type) {
      case "string":
        return { type: "text", ...this.text() };
      case "array":
        return this.#array(1, onArrayText);
      default:
        return { type: "number", value: this.#number(type) };
    }
  }

  #type(): ValueType {
    const number = this.cursor.u32();
    const type = VALUE_TYPES[number];
    if (type !== undefined) return type;
    throw new UnreadableError("unknown_value_type", `Unknown metadata value type ${number}`);
  }

  #array(depth: number, onArrayText: (text: string) => void): MetadataValue {
    const element = this.#type();
    const count = this.count();
    if (element === "string" || element === "array") this.#reserveElements(count, element);
    if (element === "string") this.#strings(count, onArrayText);
    else if (element === "array") this.#arrays(count, depth + 1, onArrayText);
    else this.cursor.skip(count * BigInt(FIXED_BYTES[element]));
    return { type: "array", element, count };
  }

  #strings(count: bigint, onArrayText: (text: string) => void): void {
    for (let left = count; left > 0n; left--) onArrayText(this.text().text);
  }

  #arrays(count: bigint, depth: number, onArrayText: (text: string) => void): void {
    if (depth > MAX_ARRAY_DEPTH) {
      throw new UnreadableError("arrays_too_deep", "Arrays are nested too deeply", true);
    }
    for (let left = count; left > 0n; left--) this.#array(depth, onArrayText);
  }

  #reserveElements(count: bigint, element: "string" | "array"): void {
    const minElementBytes = element === "array" ? 8n : this.version === 1 ? 4n : 8n;
    if (count * minElementBytes > BigInt(this.cursor.bytesLeft)) {
      const message = `An array of ${count} elements extends past the end of the file`;
      throw new UnreadableError("truncated", message);
    }
    this.#elements += Number(count);
    if (this.#elements <= MAX_ELEMENTS) return;
    throw new UnreadableError("arrays_too_long", "Arrays have too many elements to read", true);
  }

  #number(type: FixedType): number | bigint | boolean {
    switch (type) {
      case "u8":
        return this.cursor.u8();
      case "i8":
        return this.cursor.int(1);
      case "u16":
        return this.cursor.u16();
      case "i16":
        return this.cursor.int(2);
      case "u32":
        return this.cursor.u32();
      case "i32":
        return this.cursor.int(4);
      case "f32":
        return this.cursor.float(4);
      case "bool":
        return this.cursor.u8() !== 0;
      case "u64":
        return this.cursor.u64();
      case "i64":
        return this.cursor.i64();
      case "f64":
        return this.cursor.float(8);
    }
  }
}

/** Reads numbers in sequence. Every method throws an {@link UnreadableError} at the end of the file. */
class GgufCursor {
  position = 0;
  littleEndian = true;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = readAhead(source);
  }

  get bytesLeft(): number {
    return this.#source.size - this.position;
  }

  u8(): number {
    return this.#take(1).getUint8(0);
  }

  u16(): number {
    return this.#take(2).getUint16(0, this.littleEndian);
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

  /** Reads a signed integer of `size` bytes. */
  int(size: 1 | 2 | 4): number {
    const view = this.#take(size);
    if (size === 1) return view.getInt8(0);
    return size === 2 ? view.getInt16(0, this.littleEndian) : view.getInt32(0, this.littleEndian);
  }

  /** Reads an IEEE 754 number of `size` bytes. */
  float(size: 4 | 8): number {
    const view = this.#take(size);
    return size === 4
      ? view.getFloat32(0, this.littleEndian)
      : view.getFloat64(0, this.littleEndian);
  }

  /** Reads the first `limit` of the next `length` bytes, and skips the others. */
  bytes(length: bigint, limit: number): Uint8Array {
    const end = this.#endOf(length);
    const bytes = this.#source.read(this.position, Math.min(end - this.position, limit));
    this.position = end;
    return bytes;
  }

  skip(length: bigint): void {
    this.position = this.#endOf(length);
  }

  #endOf(length: bigint): number {
    if (length > BigInt(this.bytesLeft)) throw this.#truncated(length);
    return this.position + Number(length);
  }

  #take(size: number): DataView {
    if (size > this.bytesLeft) throw this.#truncated(size);
    const bytes = this.#source.read(this.position, size);
    if (bytes.length < size) throw this.#truncated(size);
    this.position += size;
    return viewOf(bytes);
  }

  #truncated(expected: number | bigint): UnreadableError {
    const message = `The file is truncated: expected ${expected} more bytes at ${this.position}`;
    return new UnreadableError("truncated", message);
  }
}

function byteSwapped(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return view.getUint32(0, false);
}
