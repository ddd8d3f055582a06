import { startsWithBytes, viewOf } from "../../readers/bytes/bytes.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unreadable.ts";
import { type Literal, LiteralError, parseLiteral } from "./literal.ts";
import { MIB } from "../../../../schemas/units.ts";

/** The header of an array file (NEP 1). */
export interface ArrayHeader {
  readonly version: number;
  /** Bytes of the literal. */
  readonly length: number;
  /** Start of the data, in bytes. */
  readonly dataStart: number;
  readonly description: Literal;
  /** Whether the first index changes fastest. */
  readonly isFortran: boolean;
  readonly shape: Literal;
  /** Deviations from the format as noun phrases, such as `a duplicate key "descr"`; at most 10. */
  readonly oddities: readonly string[];
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Bytes of magic and version. */
const PREFIX_BYTES = 8;
/** NumPy itself refuses headers over 10 000 bytes. */
const MAX_HEADER_BYTES = MIB;
const KEYS = ["descr", "fortran_order", "shape"];

/** Whether content begins with the magic of array files. */
export function hasArrayMagic(source: ByteSource): boolean {
  return startsWithBytes(source.read(0, MAGIC.length), MAGIC);
}

/** Reads the header of an array file of version 1, 2 or 3. */
export function readArrayHeader(source: ByteSource): ArrayHeader | Unreadable {
  const head = source.read(0, PREFIX_BYTES + 4);
  const version = head[MAGIC.length] ?? 0;
  if (version < 1 || version > 3) {
    return { reason: "unknown_version", message: `Unknown NumPy format version ${version}` };
  }
  const start = PREFIX_BYTES + (version === 1 ? 2 : 4);
  if (head.length < start) return truncated(source);
  const view = viewOf(head);
  const length = version === 1
    ? view.getUint16(PREFIX_BYTES, true)
    : view.getUint32(PREFIX_BYTES, true);
  if (length > source.size - start) return truncated(source);
  if (length > MAX_HEADER_BYTES) {
    const message = `The header has ${length} bytes (limit ${MAX_HEADER_BYTES})`;
    return { reason: "header_too_long", message, operational: true };
  }
  const text = new TextDecoder(version === 3 ? "utf-8" : "latin1").decode(
    source.read(start, length),
  );
  return parseHeader(text, { version, length, dataStart: start + length });
}

function parseHeader(
  text: string,
  layout: Pick<ArrayHeader, "version" | "length" | "dataStart">,
): ArrayHeader | Unreadable {
  const literal = tryParseLiteral(text);
  if (literal?.kind !== "dict") {
    return { reason: "header_no_literal", message: "The header is not a dictionary literal" };
  }
  const values = new Map<string, Literal>();
  const oddities: string[] = [];
  for (const [key, value] of literal.entries) {
    const name = key.kind === "text" ? key.text : "";
    if (values.has(name)) oddities.push(`a duplicate key "${name.slice(0, 100)}"`);
    if (!KEYS.includes(name)) oddities.push("an undefined key");
    values.set(name, value);
  }
  const [description, order, shape] = KEYS.map((key) => values.get(key));
  if (description === undefined || shape === undefined) {
    return { reason: "header_incomplete", message: "The header lacks descr or shape" };
  }
  if (order?.kind !== "word") oddities.push("no boolean fortran_order");
  const isFortran = order?.kind === "word" && order.word === "True";
  return { ...layout, description, isFortran, shape, oddities: oddities.slice(0, 10) };
}

function tryParseLiteral(text: string): Literal | undefined {
  try {
    return parseLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return undefined;
    throw error;
  }
}

function truncated(source: ByteSource): Unreadable {
  const message = `The header extends past the end of the file (${source.size} bytes)`;
  return { reason: "truncated_header", message };
}
