import { readAhead } from "../bytes/read_ahead.ts";
import type { ByteSource } from "../../contract/source.ts";
import { readVarint } from "./varint.ts";

/** The extent of a length-delimited value, and how many messages enclose it. */
export interface ProtobufSpan {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/**
 * A field of a message. Fields of fixed size have no value, since no scanner needs it. `size` is the
 * declared length of a length-delimited field; its span ends with the message if that is shorter.
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

/** Why a message was not read to its end. */
export type ProtobufFault =
  | "malformed_protobuf"
  | "protobuf_field_limit"
  | "protobuf_depth_limit";

/** Fields in one file. The largest known graphs have about a tenth of this. */
const MAX_FIELDS = 20_000_000;
/** Nested messages or groups, as in the parsers of protobuf. */
const MAX_DEPTH = 100;
/** Bytes of a tag of 5 bytes and a varint of 10. */
const MAX_HEAD_BYTES = 15;
const MAX_FIELD_NUMBER = 2 ** 29 - 1;

interface Tag {
  readonly number: number;
  readonly wireType: number;
  readonly length: number;
}

/**
 * Reads the protobuf wire format without a schema, holding one window of the source in memory. Never
 * throws: malformed bytes end the message that they are in, and are recorded in `faults`.
 */
export class ProtobufReader {
  /** Each fault, with the position where it first occurred. */
  readonly faults = new Map<ProtobufFault, number>();
  readonly #source: ByteSource;
  #fieldsLeft: number;

  /** @param maxFields The number of fields to read at most, in all messages together. */
  constructor(source: ByteSource, maxFields = MAX_FIELDS) {
    this.#source = readAhead(source);
    this.#fieldsLeft = maxFields;
  }

  /** The message that the whole source is. */
  get root(): ProtobufSpan {
    return { start: 0, end: this.#source.size, depth: 0 };
  }

  /** The fields of a message, in order. Fields inside groups are skipped: no scanned format has them. */
  *fields(message: ProtobufSpan): Generator<ProtobufField, void, void> {
    if (message.depth > MAX_DEPTH) return this.#fault("protobuf_depth_limit", message.start);
    const groups: number[] = [];
    let position = message.start;
    while (position < message.end) {
      if (this.#fieldsLeft-- <= 0) return this.#fault("protobuf_field_limit", position);
      const head = this.#head(position, message.end);
      const tag = readTag(head);
      const next = tag && this.#next(tag, head, position, message);
      if (tag === undefined || next === undefined || !trackGroup(groups, tag)) {
        return this.#fault("malformed_protobuf", position);
      }
      if (next.field !== undefined && groups.length === 0) yield next.field;
      position = next.end;
    }
    if (groups.length > 0 || position > message.end) this.#fault("malformed_protobuf", message.end);
  }

  /** Decodes the first `limit` bytes of a field as UTF-8. */
  text(span: ProtobufSpan, limit: number): string {
    return new TextDecoder().decode(this.bytes(span, limit));
  }

  /** The first `limit` bytes of a field. */
  bytes({ start, end }: ProtobufSpan, limit: number): Uint8Array {
    return this.#source.read(start, Math.min(end - start, limit));
  }

  /** The numbers of a repeated integer field: a single one, or those packed into bytes. */
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
    return this.#source.read(position, Math.min(MAX_HEAD_BYTES, end - position));
  }

  /** The field after a tag, and where it ends; undefined if it is malformed. */
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

/** The number of bytes after the tag, by wire type. */
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

/** Tracks open groups. Returns false at an end without its start, and when the nesting is too deep. */
function trackGroup(groups: number[], { number, wireType }: Tag): boolean {
  if (wireType === START_GROUP) return groups.push(number) <= MAX_DEPTH;
  return wireType !== END_GROUP || groups.pop() === number;
}
