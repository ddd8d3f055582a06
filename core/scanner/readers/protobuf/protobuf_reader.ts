import { readAhead } from "../bytes/read_ahead.ts";
import type { ByteSource } from "../../contract/source.ts";
import { readVarint } from "./varint.ts";

/** Where a message, a text or bytes lie, and within how many messages. */
export interface ProtobufSpan {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/**
 * A field of a message. Those of fixed size have no value: nothing that is scanned needs it. `size` is
 * what a field of bytes says of its size; where that is more than there is, the span is what there is.
 */
export type ProtobufField =
  | { readonly kind: "varint"; readonly number: number; readonly value: bigint }
  | { readonly kind: "fixed"; readonly number: number }
  | {
    readonly kind: "bytes";
    readonly number: number;
    readonly span: ProtobufSpan;
    readonly size: number;
  };

/** Why a message was not read through to its end. */
export type ProtobufFault =
  | "malformed_protobuf"
  | "protobuf_field_limit"
  | "protobuf_depth_limit";

/** Fields that are read of one file; the largest graphs that are known have about a tenth of it. */
const MAX_FIELDS = 20_000_000;
/** Messages within messages, as the readers of protobuf allow them. */
const MAX_DEPTH = 100;
/** A tag and a length, or a tag and a number. */
const LONGEST_HEAD = 15;
const MAX_FIELD_NUMBER = 2 ** 29 - 1;

interface Tag {
  readonly number: number;
  readonly wireType: number;
  readonly length: number;
}

/**
 * Reads the wire format of protobuf out of a source, without its schema and without holding more of
 * it than a window. It throws nothing: what is malformed ends the message that it is in, and `faults`
 * says so.
 */
export class ProtobufReader {
  /** What went wrong, with the position where it first did. */
  readonly faults = new Map<ProtobufFault, number>();
  readonly #source: ByteSource;
  #fieldsLeft: number;

  /** @param maxFields how many fields are read at most, in all messages together. */
  constructor(source: ByteSource, maxFields = MAX_FIELDS) {
    this.#source = readAhead(source);
    this.#fieldsLeft = maxFields;
  }

  /** The whole source, as a message. */
  get root(): ProtobufSpan {
    return { start: 0, end: this.#source.size, depth: 0 };
  }

  /** The fields of a message in their order, without those within groups, which no reader here knows. */
  *fields(message: ProtobufSpan): Generator<ProtobufField, void, void> {
    if (message.depth > MAX_DEPTH) return this.#fault("protobuf_depth_limit", message.start);
    const groups: number[] = [];
    let position = message.start;
    while (position < message.end) {
      if (this.#fieldsLeft-- <= 0) return this.#fault("protobuf_field_limit", position);
      const head = this.#head(position, message.end);
      const tag = readTag(head);
      const next = tag && this.#next(tag, head, position, message);
      if (tag === undefined || next === undefined || !follow(groups, tag)) {
        return this.#fault("malformed_protobuf", position);
      }
      if (next.field !== undefined && groups.length === 0) yield next.field;
      position = next.end;
    }
    if (groups.length > 0 || position > message.end) this.#fault("malformed_protobuf", message.end);
  }

  /** The text of a field, as UTF-8, no more than `limit` bytes of it. */
  text(span: ProtobufSpan, limit: number): string {
    return new TextDecoder().decode(this.bytes(span, limit));
  }

  /** The bytes of a field, no more than `limit` of them. */
  bytes({ start, end }: ProtobufSpan, limit: number): Uint8Array {
    return this.#source.read(start, Math.min(end - start, limit));
  }

  /** The numbers of a repeated field of integers: one, or many packed into bytes. */
  *integers(field: ProtobufField): Generator<bigint, void, void> {
    if (field.kind === "varint") yield field.value;
    if (field.kind !== "bytes") return;
    for (let position = field.span.start; position < field.span.end;) {
      if (this.#fieldsLeft-- <= 0) return this.#fault("protobuf_field_limit", position);
      const number = readVarint(this.#head(position, field.span.end), 0);
      if (number === undefined) return this.#fault("malformed_protobuf", position);
      yield number.value;
      position += number.length;
    }
  }

  #head(position: number, end: number): Uint8Array {
    return this.#source.read(position, Math.min(LONGEST_HEAD, end - position));
  }

  /** What a tag announces, and where it ends; undefined where it has no value within its message. */
  #next(
    { number, wireType, length }: Tag,
    head: Uint8Array,
    position: number,
    { end, depth }: ProtobufSpan,
  ): { readonly field?: ProtobufField; readonly end: number } | undefined {
    const after = position + length;
    const fixed = FIXED_BYTES.get(wireType);
    if (fixed !== undefined) {
      if (after + fixed > end) return undefined;
      return { end: after + fixed, ...(fixed > 0 && { field: { kind: "fixed", number } }) };
    }
    const varint = readVarint(head, length);
    if (varint === undefined) return undefined;
    const start = after + varint.length;
    if (wireType === 0) {
      return { field: { kind: "varint", number, value: varint.value }, end: start };
    }
    if (wireType !== 2) return undefined;
    const size = Number(varint.value);
    const span = { start, end: Math.min(start + size, end), depth: depth + 1 };
    return { field: { kind: "bytes", number, span, size }, end: start + size };
  }

  #fault(fault: ProtobufFault, position: number): void {
    if (!this.faults.has(fault)) this.faults.set(fault, position);
  }
}

const START_GROUP = 3;
const END_GROUP = 4;

/** Bytes that follow the tag, by wire type. */
const FIXED_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 8],
  [START_GROUP, 0],
  [END_GROUP, 0],
  [5, 4],
]);

function readTag(head: Uint8Array): Tag | undefined {
  const varint = readVarint(head, 0);
  if (varint === undefined || varint.length > 5) return undefined;
  const number = Number(varint.value >> 3n);
  if (number < 1 || number > MAX_FIELD_NUMBER) return undefined;
  return { number, wireType: Number(varint.value & 7n), length: varint.length };
}

/** Opens and closes groups; false where one is closed that is not the last opened, or too many are. */
function follow(groups: number[], { number, wireType }: Tag): boolean {
  if (wireType === START_GROUP) return groups.push(number) <= MAX_DEPTH;
  return wireType !== END_GROUP || groups.pop() === number;
}
