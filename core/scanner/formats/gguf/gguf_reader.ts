import type { ByteSource } from "../../contract/source.ts";
import { FIXED_SIZES, VALUE_TYPES, type ValueType } from "./value_type.ts";
import { GgufCursor } from "./gguf_cursor.ts";
import { MIB } from "../../../../schemas/units.ts";

/** What keeps a file from being read on, with a word for it. */
export class UnreadableError extends Error {
  override readonly name = "UnreadableError";

  constructor(
    readonly reason: string,
    message: string,
    /** Whether it is a bound of ours. */
    readonly operational = false,
  ) {
    super(message);
  }
}

/** A value of the metadata. */
export type MetadataValue =
  | { readonly type: "text"; readonly text: string; readonly length: bigint }
  | { readonly type: "number"; readonly value: number | bigint | boolean }
  | { readonly type: "array"; readonly element: ValueType; readonly count: bigint };

/** Elements with a length of their own, in all arrays of a file together. */
const ELEMENTS = 4_000_000;
/** Arrays within arrays; those of today's files have none. */
const ARRAY_DEPTH = 4;
/** Bytes of one text that are read. */
const TEXT_LENGTH = MIB;
/** Bytes of texts that are read in all. */
const TEXTS_LENGTH = 32 * MIB;
/** Bytes of the magic. */
const MAGIC_SIZE = 4n;

/** Reads the parts of a GGUF file of version 1, 2 or 3, of either byte order. */
export class GgufReader {
  readonly cursor: GgufCursor;
  readonly version: number;
  #elements = 0;
  #textsRead = 0;

  /** @throws {TruncatedError} where the content ends before the version does. */
  constructor(source: ByteSource) {
    this.cursor = new GgufCursor(source, true);
    this.cursor.skip(MAGIC_SIZE);
    const version = this.cursor.u32();
    // Versions are small: one in the upper half is of the other byte order.
    this.cursor.littleEndian = (version & 0xffff) !== 0 || version === 0;
    this.version = this.cursor.littleEndian ? version : swapped(version);
  }

  /** A count or length, which version 1 has in 4 bytes and the later ones in 8. */
  count(): bigint {
    return this.version === 1 ? BigInt(this.cursor.u32()) : this.cursor.u64();
  }

  /** A text of which no more than 1 MiB is read. */
  text(): { readonly text: string; readonly length: bigint } {
    const length = this.count();
    const most = Math.min(TEXT_LENGTH, TEXTS_LENGTH - this.#textsRead);
    const bytes = this.cursor.bytes(length, most);
    if (bytes.length < Number(length) && most < TEXT_LENGTH) {
      throw new UnreadableError("metadata_too_long", "The texts are too long to be read", true);
    }
    this.#textsRead += bytes.length;
    return { text: new TextDecoder().decode(bytes), length };
  }

  /** A value of the metadata; texts in arrays are given to `inArray`, if it wants them. */
  value(inArray?: (text: string) => void): MetadataValue {
    const type = this.#type();
    switch (type) {
      case "string":
        return { type: "text", ...this.text() };
      case "array":
        return this.#array(1, inArray);
      default:
        return { type: "number", value: this.#number(type) };
    }
  }

  #type(): ValueType {
    const number = this.cursor.u32();
    const type = VALUE_TYPES[number];
    if (type !== undefined) return type;
    throw new UnreadableError("unknown_value_type", `The metadata have a value of type ${number}`);
  }

  #array(depth: number, inArray?: (text: string) => void): MetadataValue {
    const element = this.#type();
    const count = this.count();
    if (element === "string" || element === "array") this.#spend(count, element);
    if (element === "string") this.#texts(count, inArray);
    else if (element === "array") this.#arrays(count, depth + 1, inArray);
    else this.cursor.skip(count * BigInt(FIXED_SIZES[element]));
    return { type: "array", element, count };
  }

  #texts(count: bigint, inArray?: (text: string) => void): void {
    for (let left = count; left > 0n; left--) {
      if (inArray === undefined) this.cursor.skip(this.count());
      else inArray(this.text().text);
    }
  }

  #arrays(count: bigint, depth: number, inArray?: (text: string) => void): void {
    if (depth > ARRAY_DEPTH) {
      throw new UnreadableError("arrays_too_deep", "Arrays are nested too deeply to be read", true);
    }
    for (let left = count; left > 0n; left--) this.#array(depth, inArray);
  }

  #spend(count: bigint, element: "string" | "array"): void {
    const least = element === "array" ? 8n : this.version === 1 ? 4n : 8n;
    if (count * least > BigInt(this.cursor.left)) {
      throw new UnreadableError("truncated", `An array of ${count} elements exceeds the file`);
    }
    this.#elements += Number(count);
    if (this.#elements <= ELEMENTS) return;
    throw new UnreadableError("arrays_too_long", "The arrays are too long to be read", true);
  }

  #number(type: Exclude<ValueType, "string" | "array">): number | bigint | boolean {
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

function swapped(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return view.getUint32(0, false);
}
