import { viewOf } from "../../readers/bytes/bytes.ts";
import { JsonError } from "../../readers/json/strict_cursor.ts";
import {
  type ParsedJson,
  parseStrictJson,
  STRICT_JSON_LIMITS,
} from "../../readers/json/parse_strict_json.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unread.ts";

/** Where the parts of a safetensors file lie, in bytes. */
export interface HeaderBounds {
  /** Length of the JSON text, which begins at byte 8. */
  readonly length: number;
  /** Where the tensor data begin. */
  readonly dataStart: number;
  /** Bytes of tensor data. */
  readonly dataSize: number;
}

/** Bytes of the length before the header. */
const LENGTH_SIZE = 8;

const OPENING_BRACE = 0x7b;

/** Whether a JSON object follows a length that could be that of a header. */
export function looksLikeSafetensors(source: ByteSource): boolean {
  const head = source.read(0, LENGTH_SIZE + 1);
  const length = headerLength(head);
  return length !== undefined && length >= 2n && length <= BigInt(source.size - LENGTH_SIZE) &&
    head[LENGTH_SIZE] === OPENING_BRACE;
}

/** Finds the bounds of the header, which the file must hold. */
export function headerBounds(source: ByteSource): HeaderBounds | Unreadable {
  const head = source.read(0, LENGTH_SIZE + 1);
  const length = headerLength(head);
  if (length === undefined) {
    return failure("truncated_header", `A file of ${source.size} bytes has no header length`);
  }
  if (head[LENGTH_SIZE] !== OPENING_BRACE) {
    return failure("header_not_json", "The header does not begin as a JSON object");
  }
  if (length < 2n || length > BigInt(source.size - LENGTH_SIZE)) {
    const message = `The header length ${length} exceeds the file of ${source.size} bytes`;
    return failure("header_out_of_bounds", length < 2n ? "The header is empty" : message);
  }
  if (length > BigInt(STRICT_JSON_LIMITS.maxLength)) {
    const message = `The header has ${length} bytes, over ${STRICT_JSON_LIMITS.maxLength}`;
    return { ...failure("header_too_long", message), operational: true };
  }
  const dataStart = LENGTH_SIZE + Number(length);
  return { length: Number(length), dataStart, dataSize: source.size - dataStart };
}

/** Reads the JSON of the header. */
export function readHeader(source: ByteSource, bounds: HeaderBounds): ParsedJson | Unreadable {
  try {
    return parseStrictJson(source.read(LENGTH_SIZE, bounds.length));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const message = `The header can't be read: ${error.code} at character ${error.position}`;
    const ours = error.code === "too_many_values" || error.code === "too_long";
    return { ...failure(`header_${error.code}`, message), operational: ours };
  }
}

function headerLength(head: Uint8Array): bigint | undefined {
  if (head.length < LENGTH_SIZE) return undefined;
  return viewOf(head).getBigUint64(0, true);
}

function failure(reason: string, message: string): Unreadable {
  return { reason, message };
}
