import { startsWithBytes, viewOf } from "../../readers/bytes/bytes.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Unreadable } from "../tensors/unread.ts";
import { type Literal, LiteralError, parseLiteral } from "./literal.ts";
import { MIB } from "../../../../schemas/units.ts";

/** The header of an array file. */
export interface ArrayHeader {
  readonly version: number;
  /** Bytes of the literal, without what is before it. */
  readonly length: number;
  /** Where the data begin. */
  readonly dataStart: number;
  readonly description: Literal;
  readonly shape: Literal;
  /** What of the header is not as the format wants it, such as a key that is twice there. */
  readonly oddities: readonly string[];
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** Bytes of magic and version. */
const PREFIX = 8;
/** Bytes of the longest header that is read; NumPy itself refuses more than 10 000. */
const HEADER_LENGTH = MIB;
const KEYS = ["descr", "fortran_order", "shape"];

/** Whether the content begins as an array file does. */
export function hasArrayMagic(source: ByteSource): boolean {
  return startsWithBytes(source.read(0, MAGIC.length), MAGIC);
}

/** Reads the header of an array file of version 1, 2 or 3. */
export function readArrayHeader(source: ByteSource): ArrayHeader | Unreadable {
  const head = source.read(0, PREFIX + 4);
  const version = head[MAGIC.length] ?? 0;
  if (version < 1 || version > 3) {
    return { reason: "unknown_version", message: `The version ${version} is unknown` };
  }
  const start = PREFIX + (version === 1 ? 2 : 4);
  if (head.length < start) return truncated(source);
  const view = viewOf(head);
  const length = version === 1 ? view.getUint16(PREFIX, true) : view.getUint32(PREFIX, true);
  if (length > source.size - start) return truncated(source);
  if (length > HEADER_LENGTH) {
    const message = `The header has ${length} bytes`;
    return { reason: "header_too_long", message, operational: true };
  }
  const text = new TextDecoder(version === 3 ? "utf-8" : "latin1").decode(
    source.read(start, length),
  );
  return parsed(text, { version, length, dataStart: start + length });
}

function parsed(
  text: string,
  place: Pick<ArrayHeader, "version" | "length" | "dataStart">,
): ArrayHeader | Unreadable {
  const literal = literalOf(text);
  if (literal?.kind !== "dict") {
    return { reason: "header_no_literal", message: "The header is no literal of a dictionary" };
  }
  const values = new Map<string, Literal>();
  const oddities: string[] = [];
  for (const [key, value] of literal.entries) {
    const name = key.kind === "text" ? key.text : "";
    if (values.has(name)) oddities.push(`the key "${name.slice(0, 100)}" twice`);
    if (!KEYS.includes(name)) oddities.push("a key that the format does not define");
    values.set(name, value);
  }
  const [description, order, shape] = KEYS.map((key) => values.get(key));
  if (description === undefined || shape === undefined) {
    return { reason: "header_incomplete", message: "The header has no descr or no shape" };
  }
  if (order?.kind !== "word") oddities.push("no fortran_order of True or False");
  return { ...place, description, shape, oddities: oddities.slice(0, 10) };
}

function literalOf(text: string): Literal | undefined {
  try {
    return parseLiteral(text);
  } catch (error) {
    if (error instanceof LiteralError) return undefined;
    throw error;
  }
}

function truncated(source: ByteSource): Unreadable {
  const message = `The header exceeds the file of ${source.size} bytes`;
  return { reason: "truncated_header", message };
}
