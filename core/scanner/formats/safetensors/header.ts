import { viewOf } from "../../readers/bytes/bytes.ts";
import { JsonError } from "../../readers/json/strict_cursor.ts";
import {
  type ParsedJson,
  parseStrictJson,
  STRICT_JSON_LIMITS,
} from "../../readers/json/parse_strict_json.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unreadable.ts";

/** The layout of a safetensors file, in bytes. */
export interface HeaderBounds {
  /** Length of the JSON text, which starts at byte 8. */
  readonly length: number;
  /** Start of the tensor data. */
  readonly dataStart: number;
  readonly dataSize: number;
}

/** Bytes of the header length, which precedes the header. */
const LENGTH_BYTES = 8;

const OPENING_BRACE = 0x7b;

/** Whether content starts with a plausible header length, followed by a JSON object. */
export function looksLikeSafetensors(source: ByteSource): boolean {
  const head = source.read(0, LENGTH_BYTES + 1);
  const length = headerLength(head);
  return length !== undefined && length >= 2n && length <= BigInt(source.size - LENGTH_BYTES) &&
    head[LENGTH_BYTES] === OPENING_BRACE;
}

/** Reads the header length, and checks that the header fits in the file. */
export function readHeaderBounds(source: ByteSource): HeaderBounds | Unreadable {
  const head = source.read(0, LENGTH_BYTES + 1);
  const length = headerLength(head);
  if (length === undefined) {
    const message = `The file is too short for a header length: ${source.size} bytes`;
    return { reason: "truncated_header", message };
  }
  if (head[LENGTH_BYTES] !== OPENING_BRACE) {
    return { reason: "header_not_json", message: "The header is not a JSON object" };
  }
  if (length < 2n || length > BigInt(source.size - LENGTH_BYTES)) {
    const message = length < 2n
      ? "The header is empty"
      : `The header length ${length} exceeds the file size of ${source.size} bytes`;
    return { reason: "header_out_of_bounds", message };
  }
  if (length > BigInt(STRICT_JSON_LIMITS.maxLength)) {
    const message = `The header has ${length} bytes (limit ${STRICT_JSON_LIMITS.maxLength})`;
    return { reason: "header_too_long", message, operational: true };
  }
  const dataStart = LENGTH_BYTES + Number(length);
  return { length: Number(length), dataStart, dataSize: source.size - dataStart };
}

/** Parses the JSON of the header. */
export function readHeader(source: ByteSource, bounds: HeaderBounds): ParsedJson | Unreadable {
  try {
    return parseStrictJson(source.read(LENGTH_BYTES, bounds.length));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { code, position } = error;
    const operational = code.startsWith("too_");
    const message = `The header cannot be parsed: ${code} at character ${position}`;
    return { reason: `header_${code}`, message, operational };
  }
}

function headerLength(head: Uint8Array): bigint | undefined {
  if (head.length < LENGTH_BYTES) return undefined;
  return viewOf(head).getBigUint64(0, true);
}
