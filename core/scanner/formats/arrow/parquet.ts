import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { NumberWindow } from "../../readers/bytes/number_window.ts";
import { MalformedError } from "../../readers/malformed.ts";

/** A text of the metadata of a Parquet file. */
export interface ParquetText {
  readonly key: string;
  readonly value: ByteSource;
  /** Where the value is in the footer. */
  readonly position: number;
}

/** Before the end are the length of the footer, as 32 bits, and the name of the format. */
const TAIL_BYTES = 8;
const MAX_DEPTH = 32;
const MAX_KEY_BYTES = 1024;
/** The fields of Parquet's structures that are read, by number. */
const METADATA_OF_FILE = 5;
const KEY = 1;
const VALUE = 2;
/** Types of Thrift's compact protocol. Those of the two booleans are their values. */
const TYPE = {
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
};

const DECODER = new TextDecoder();

/**
 * The texts that writers have added to a Parquet file.
 *
 * @throws {MalformedError} when the footer cannot be read.
 */
export function* parquetTexts(source: ByteSource): Generator<ParquetText, void, void> {
  const tail = source.read(Math.max(0, source.size - TAIL_BYTES), TAIL_BYTES);
  if (String.fromCharCode(...tail.subarray(4)) !== "PAR1") {
    throw new MalformedError("parquet_footer", "The footer is missing, or is encrypted");
  }
  const length = new DataView(tail.buffer, tail.byteOffset).getUint32(0, true);
  const end = source.size - TAIL_BYTES;
  if (length > end) throw new MalformedError("parquet_footer", "The footer begins before the file");
  const footer = sourceSlice(source, end - length, length);
  const thrift = new CompactReader(footer);
  for (const { id, type } of thrift.fields()) {
    if (id !== METADATA_OF_FILE || type !== TYPE.list) thrift.skip(type);
    else yield* textsOf(thrift, footer);
  }
}

function* textsOf(thrift: CompactReader, footer: ByteSource): Generator<ParquetText, void, void> {
  const { type, count } = thrift.list();
  if (type !== TYPE.struct) throw thrift.malformed();
  for (let index = 0; index < count; index++) {
    let key = "";
    let value: { readonly start: number; readonly length: number } | undefined;
    for (const { id, type } of thrift.fields()) {
      if (type !== TYPE.binary || (id !== KEY && id !== VALUE)) {
        thrift.skip(type);
        continue;
      }
      const found = thrift.binary();
      if (id === VALUE) value = found;
      else key = DECODER.decode(footer.read(found.start, Math.min(found.length, MAX_KEY_BYTES)));
    }
    if (value === undefined) continue;
    const { start, length } = value;
    yield { key, value: sourceSlice(footer, start, length), position: start };
  }
}

/** Reads Thrift's compact protocol. Each value takes a byte at least, so the time is that of the length. */
class CompactReader {
  readonly #window: NumberWindow;
  #at = 0;

  constructor(source: ByteSource) {
    this.#window = new NumberWindow(source);
  }

  /** The fields of a structure. What reads one moves on to its end. */
  *fields(): Generator<{ readonly id: number; readonly type: number }, void, void> {
    for (let id = 0;;) {
      const head = this.#byte();
      if (head === 0) return;
      id = head >> 4 === 0 ? this.#signed() : id + (head >> 4);
      yield { id, type: head & 0xf };
    }
  }

  /** The head of a list or set. */
  list(): { readonly type: number; readonly count: number } {
    const head = this.#byte();
    const count = head >> 4;
    return { type: head & 0xf, count: count === 0xf ? this.#varint() : count };
  }

  /** Where bytes are; moves to their end. */
  binary(): { readonly start: number; readonly length: number } {
    const length = this.#varint();
    const start = this.#at;
    this.#move(length);
    return { start, length };
  }

  /** Moves to the end of the value of a field. */
  skip(type: number, depth = 0): void {
    if (depth > MAX_DEPTH) throw this.malformed();
    switch (type) {
      // A boolean of a field is its type.
      case 1:
      case 2:
        return;
      case TYPE.byte:
        return this.#move(1);
      case TYPE.i16:
      case TYPE.i32:
      case TYPE.i64:
        return void this.#varint();
      case TYPE.double:
        return this.#move(8);
      case TYPE.binary:
        return void this.binary();
      case TYPE.list:
      case TYPE.set: {
        const { type, count } = this.list();
        for (let index = 0; index < count; index++) this.#skipElement(type, depth + 1);
        return;
      }
      case TYPE.map: {
        const count = this.#varint();
        const types = count === 0 ? 0 : this.#byte();
        for (let index = 0; index < count; index++) {
          this.#skipElement(types >> 4, depth + 1);
          this.#skipElement(types & 0xf, depth + 1);
        }
        return;
      }
      case TYPE.struct:
        for (const field of this.fields()) this.skip(field.type, depth + 1);
        return;
      default:
        throw this.malformed();
    }
  }

  malformed(): MalformedError {
    return new MalformedError("malformed_thrift", `The footer cannot be read at ${this.#at}`);
  }

  /** Elements that are booleans take a byte. */
  #skipElement(type: number, depth: number): void {
    if (type === 1 || type === 2) this.#move(1);
    else this.skip(type, depth);
  }

  #move(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#window.size) throw this.malformed();
  }

  #byte(): number {
    const offset = this.#window.offsetOf(this.#at, 1);
    if (offset < 0) throw this.malformed();
    this.#at++;
    return this.#window.view.getUint8(offset);
  }

  /** A number of up to 49 bits; larger ones are lengths of nothing that is there. */
  #varint(): number {
    let value = 0;
    for (let index = 0; index < 10; index++) {
      const byte = this.#byte();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) return value;
    }
    throw this.malformed();
  }

  #signed(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
