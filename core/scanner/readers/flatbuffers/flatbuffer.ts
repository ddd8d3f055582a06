import type { ByteSource } from "../../contract/source.ts";
import { NumberWindow } from "../bytes/number_window.ts";
import { MalformedError } from "../malformed.ts";

/** A table: its position, and that of the field offsets. */
export interface FlatTable {
  readonly position: number;
  readonly vtable: number;
  readonly vtableBytes: number;
}

/** A vector: the position of its first element, and how many elements it has. */
export interface FlatVector {
  readonly start: number;
  readonly count: number;
}

/** Tables, vectors and texts read in one file. Models have far fewer. */
const MAX_PARTS = 5_000_000;
const OFFSET_BYTES = 4;

/**
 * Reads FlatBuffers without a schema: fields are named by their number. Offsets are checked against the
 * content before they are followed. Every method throws a {@link MalformedError} if one leads outside,
 * or if the file has too many parts: hostile offsets can make tables overlap.
 */
export class FlatbufferReader {
  readonly #window: NumberWindow;
  #partsLeft: number;

  constructor(source: ByteSource, maxParts = MAX_PARTS) {
    this.#window = new NumberWindow(source);
    this.#partsLeft = maxParts;
  }

  /** The table that the content starts with an offset to. */
  root(): FlatTable {
    return this.#tableAt(this.#u32(0));
  }

  /** The table in a field; undefined if the field is missing. */
  table(parent: FlatTable, field: number): FlatTable | undefined {
    const at = this.#target(parent, field);
    return at === undefined ? undefined : this.#tableAt(at);
  }

  /** The tables in a vector; none if the field is missing. */
  *tables(parent: FlatTable, field: number): Generator<FlatTable, void, void> {
    const { start, count } = this.vector(parent, field, OFFSET_BYTES);
    for (let index = 0; index < count; index++) {
      const at = start + index * OFFSET_BYTES;
      yield this.#tableAt(at + this.#u32(at));
    }
  }

  /** The first `limit` bytes of the texts in a vector; none if the field is missing. */
  *texts(parent: FlatTable, field: number, limit: number): Generator<string, void, void> {
    const { start, count } = this.vector(parent, field, OFFSET_BYTES);
    for (let index = 0; index < count; index++) {
      const at = start + index * OFFSET_BYTES;
      yield this.#textAt(at + this.#u32(at), limit);
    }
  }

  /** The vector in a field; an empty one if the field is missing. */
  vector(parent: FlatTable, field: number, elementBytes: number): FlatVector {
    const at = this.#target(parent, field);
    return at === undefined ? { start: 0, count: 0 } : this.#vectorAt(at, elementBytes);
  }

  /** The first `limit` bytes of the text in a field; empty if the field is missing. */
  text(parent: FlatTable, field: number, limit: number): string {
    const at = this.#target(parent, field);
    return at === undefined ? "" : this.#textAt(at, limit);
  }

  /** A signed byte; 0 if the field is missing. */
  int8(parent: FlatTable, field: number): number {
    const at = this.#fieldAt(parent, field);
    return at === undefined ? 0 : this.#i8(at);
  }

  /** A signed 32-bit integer; 0 if the field is missing. */
  int32(parent: FlatTable, field: number): number {
    const at = this.#fieldAt(parent, field);
    return at === undefined ? 0 : this.#i32(at);
  }

  /** An unsigned 64-bit integer, exact up to 2^53; 0 if the field is missing. */
  uint64(parent: FlatTable, field: number): number {
    const at = this.#fieldAt(parent, field);
    return at === undefined ? 0 : this.#u64(at);
  }

  /** The signed 32-bit integers of a vector; none if the field is missing. */
  *int32s(parent: FlatTable, field: number): Generator<number, void, void> {
    const { start, count } = this.vector(parent, field, 4);
    this.#count(start, count);
    for (let index = 0; index < count; index++) {
      yield this.#i32(start + index * 4);
    }
  }

  #textAt(at: number, limit: number): string {
    const { start, count } = this.#vectorAt(at, 1);
    return DECODER.decode(this.#window.bytes(start, count, limit));
  }

  #vectorAt(at: number, elementBytes: number): FlatVector {
    this.#count(at, 1);
    const count = this.#u32(at);
    const start = at + OFFSET_BYTES;
    if (start + count * elementBytes > this.#window.size) throw outside(at);
    return { start, count };
  }

  #tableAt(position: number): FlatTable {
    this.#count(position, 1);
    const vtable = position - this.#i32(position);
    const vtableBytes = this.#u16(vtable);
    if (vtableBytes < 4 || vtable + vtableBytes > this.#window.size) throw outside(vtable);
    return { position, vtable, vtableBytes };
  }

  /** Where the offset in a field leads. */
  #target(table: FlatTable, field: number): number | undefined {
    const at = this.#fieldAt(table, field);
    return at === undefined ? undefined : at + this.#u32(at);
  }

  #fieldAt({ position, vtable, vtableBytes }: FlatTable, field: number): number | undefined {
    const entry = 4 + field * 2;
    if (entry + 2 > vtableBytes) return undefined;
    const offset = this.#u16(vtable + entry);
    return offset === 0 ? undefined : position + offset;
  }

  #i8(at: number): number {
    const offset = this.#offset(at, 1);
    return this.#window.view.getInt8(offset);
  }

  #u16(at: number): number {
    const offset = this.#offset(at, 2);
    return this.#window.view.getUint16(offset, true);
  }

  #i32(at: number): number {
    const offset = this.#offset(at, 4);
    return this.#window.view.getInt32(offset, true);
  }

  #u32(at: number): number {
    const offset = this.#offset(at, 4);
    return this.#window.view.getUint32(offset, true);
  }

  #u64(at: number): number {
    const offset = this.#offset(at, 8);
    return Number(this.#window.view.getBigUint64(offset, true));
  }

  /** Where bytes are in the window. */
  #offset(at: number, length: number): number {
    const offset = this.#window.offsetOf(at, length);
    if (offset < 0) throw outside(at);
    return offset;
  }

  #count(at: number, parts: number): void {
    this.#partsLeft -= parts;
    if (this.#partsLeft >= 0) return;
    const message = `The file has too many parts to read, at ${at}`;
    throw new MalformedError("flatbuffer_part_limit", message, true);
  }
}

const DECODER = new TextDecoder();

function outside(at: number): MalformedError {
  return new MalformedError("malformed_flatbuffer", `An offset leads outside the file, at ${at}`);
}

/** Bytes 4 to 7 of a FlatBuffer, which name its format; shorter if the content is. */
export function flatbufferIdentifier(source: ByteSource): string {
  return String.fromCharCode(...source.read(4, 4));
}
