import type { ByteSource } from "../../contract/source.ts";
import { readSafeUint64, viewOf } from "../bytes/bytes.ts";
import { readAhead } from "../bytes/read_ahead.ts";
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
  readonly #source: ByteSource;
  #partsLeft: number;

  constructor(source: ByteSource, maxParts = MAX_PARTS) {
    this.#source = readAhead(source);
    this.#partsLeft = maxParts;
  }

  /** The table that the content starts with an offset to. */
  root(): FlatTable {
    return this.#tableAt(this.#view(0, OFFSET_BYTES).getUint32(0, true));
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
      yield this.#tableAt(at + this.#view(at, OFFSET_BYTES).getUint32(0, true));
    }
  }

  /** The first `limit` bytes of the texts in a vector; none if the field is missing. */
  *texts(parent: FlatTable, field: number, limit: number): Generator<string, void, void> {
    const { start, count } = this.vector(parent, field, OFFSET_BYTES);
    for (let index = 0; index < count; index++) {
      const at = start + index * OFFSET_BYTES;
      yield this.#textAt(at + this.#view(at, OFFSET_BYTES).getUint32(0, true), limit);
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
    return at === undefined ? 0 : this.#view(at, 1).getInt8(0);
  }

  /** A signed 32-bit integer; 0 if the field is missing. */
  int32(parent: FlatTable, field: number): number {
    const at = this.#fieldAt(parent, field);
    return at === undefined ? 0 : this.#view(at, 4).getInt32(0, true);
  }

  /** An unsigned 64-bit integer; 0 if the field is missing. */
  uint64(parent: FlatTable, field: number): number {
    const at = this.#fieldAt(parent, field);
    return at === undefined ? 0 : this.#safe(readSafeUint64(this.#view(at, 8), 0), at);
  }

  /** The signed 32-bit integers of a vector; none if the field is missing. */
  *int32s(parent: FlatTable, field: number): Generator<number, void, void> {
    const { start, count } = this.vector(parent, field, 4);
    this.#count(start, count);
    for (let index = 0; index < count; index++) {
      yield this.#view(start + index * 4, 4).getInt32(0, true);
    }
  }

  #textAt(at: number, limit: number): string {
    const { start, count } = this.#vectorAt(at, 1);
    return new TextDecoder().decode(this.#source.read(start, Math.min(count, limit)));
  }

  #vectorAt(at: number, elementBytes: number): FlatVector {
    this.#count(at, 1);
    const count = this.#view(at, OFFSET_BYTES).getUint32(0, true);
    const start = at + OFFSET_BYTES;
    if (start + count * elementBytes > this.#source.size) throw outside(at);
    return { start, count };
  }

  #tableAt(position: number): FlatTable {
    this.#count(position, 1);
    const vtable = position - this.#view(position, OFFSET_BYTES).getInt32(0, true);
    const vtableBytes = this.#view(vtable, 2).getUint16(0, true);
    if (vtableBytes < 4 || vtable + vtableBytes > this.#source.size) throw outside(vtable);
    return { position, vtable, vtableBytes };
  }

  /** Where the offset in a field leads. */
  #target(table: FlatTable, field: number): number | undefined {
    const at = this.#fieldAt(table, field);
    return at === undefined ? undefined : at + this.#view(at, OFFSET_BYTES).getUint32(0, true);
  }

  #fieldAt({ position, vtable, vtableBytes }: FlatTable, field: number): number | undefined {
    const entry = 4 + field * 2;
    if (entry + 2 > vtableBytes) return undefined;
    const offset = this.#view(vtable + entry, 2).getUint16(0, true);
    return offset === 0 ? undefined : position + offset;
  }

  #view(at: number, length: number): DataView {
    if (at < 0 || at + length > this.#source.size) throw outside(at);
    const bytes = this.#source.read(at, length);
    if (bytes.length < length) throw outside(at);
    return viewOf(bytes);
  }

  #safe(value: number | undefined, at: number): number {
    if (value === undefined) throw outside(at);
    return value;
  }

  #count(at: number, parts: number): void {
    this.#partsLeft -= parts;
    if (this.#partsLeft >= 0) return;
    const message = `The file has too many parts to read, at ${at}`;
    throw new MalformedError("flatbuffer_part_limit", message, true);
  }
}

function outside(at: number): MalformedError {
  return new MalformedError("malformed_flatbuffer", `An offset leads outside the file, at ${at}`);
}

/** Bytes 4 to 7 of a FlatBuffer, which name its format; shorter if the content is. */
export function flatbufferIdentifier(source: ByteSource): string {
  return String.fromCharCode(...source.read(4, 4));
}
