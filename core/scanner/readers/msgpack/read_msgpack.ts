import type { ByteSource } from "../../contract/source.ts";
import { NumberCursor } from "../bytes/number_cursor.ts";
import { MalformedError } from "../malformed.ts";

/** A value in a document, with the keys of the maps around it. The reader reuses the path. */
export interface MsgpackValue {
  readonly kind: "key" | "text" | "bytes" | "extension" | "number" | "other";
  readonly path: readonly string[];
  /** The first bytes of a key or a text, or a number. */
  readonly value?: string | number;
  /** The type of an extension. */
  readonly type?: number;
  /** Where the content of bytes, a text or an extension starts, and its length. */
  readonly start: number;
  readonly length: number;
}

/** Values in one document. */
const MAX_VALUES = 5_000_000;
const MAX_DEPTH = 100;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_KEY_CHARACTERS = 256;

/** An open map or list. */
interface Frame {
  readonly isMap: boolean;
  /** Keys and values that follow. */
  left: number;
  keyed: boolean;
}

type Token =
  | { readonly open: "map" | "list"; readonly count: number }
  | (Omit<MsgpackValue, "path" | "kind"> & { readonly kind: Exclude<MsgpackValue["kind"], "key"> });

/**
 * Reads one MessagePack value as a stream. Content of bytes and extensions is skipped.
 *
 * @param source Starts with the value. What follows it is left alone.
 * @returns where the value ends.
 * @throws {MalformedError} when it is cut off, malformed or exceeds a limit.
 */
export function* readMsgpack(source: ByteSource): Generator<MsgpackValue, number, void> {
  const cursor = new NumberCursor(source, false);
  const path: string[] = [];
  const frames: Frame[] = [];
  for (let values = 0;; values++) {
    if (values > MAX_VALUES) throw limit("value_limit", "too many values to read");
    const token = readToken(cursor);
    const frame = frames.at(-1);
    if (frame !== undefined) frame.left--;
    if ("open" in token) {
      if (frames.length >= MAX_DEPTH) throw limit("nesting_limit", "values nested too deeply");
      if (frame?.isMap && !frame.keyed) beginValue(frame, path, `(${token.open})`);
      const left = token.open === "map" ? token.count * 2 : token.count;
      frames.push({ isMap: token.open === "map", left, keyed: false });
    } else if (frame?.isMap && !frame.keyed) {
      beginValue(frame, path, String(token.value ?? "").slice(0, MAX_KEY_CHARACTERS));
      yield { ...token, kind: "key", path };
    } else {
      yield { ...token, path };
      if (frame?.isMap) endValue(frame, path);
    }
    while (frames.at(-1)?.left === 0) {
      frames.pop();
      const outer = frames.at(-1);
      if (outer?.isMap) endValue(outer, path);
    }
    if (frames.length === 0) return cursor.position;
  }
}

function beginValue(frame: Frame, path: string[], key: string): void {
  frame.keyed = true;
  path.push(key);
}

function endValue(frame: Frame, path: string[]): void {
  if (frame.keyed) path.pop();
  frame.keyed = false;
}

function limit(reason: string, problem: string): MalformedError {
  return new MalformedError(reason, `The file has ${problem}`, true);
}

function readToken(cursor: NumberCursor): Token {
  const type = cursor.u8();
  if (type < 0x80 || type >= 0xe0) return number(cursor, type < 0x80 ? type : type - 256);
  if (type < 0x90) return { open: "map", count: type & 0x0f };
  if (type < 0xa0) return { open: "list", count: type & 0x0f };
  if (type < 0xc0) return text(cursor, type & 0x1f);
  return LONG_TYPES.get(type)?.(cursor) ?? unknown(type, cursor.position - 1);
}

const LONG_TYPES: ReadonlyMap<number, (cursor: NumberCursor) => Token> = new Map([
  ...[0xc0, 0xc2, 0xc3].map((type) => [type, other] as const),
  [0xc4, (it: NumberCursor) => bytes(it, it.u8())],
  [0xc5, (it: NumberCursor) => bytes(it, it.u16())],
  [0xc6, (it: NumberCursor) => bytes(it, it.u32())],
  [0xc7, (it: NumberCursor) => extension(it, it.u8())],
  [0xc8, (it: NumberCursor) => extension(it, it.u16())],
  [0xc9, (it: NumberCursor) => extension(it, it.u32())],
  [0xca, (it: NumberCursor) => number(it, it.f32())],
  [0xcb, (it: NumberCursor) => number(it, it.f64())],
  [0xcc, (it: NumberCursor) => number(it, it.u8())],
  [0xcd, (it: NumberCursor) => number(it, it.u16())],
  [0xce, (it: NumberCursor) => number(it, it.u32())],
  [0xcf, (it: NumberCursor) => number(it, it.u64())],
  [0xd0, (it: NumberCursor) => number(it, it.i8())],
  [0xd1, (it: NumberCursor) => number(it, it.i16())],
  [0xd2, (it: NumberCursor) => number(it, it.i32())],
  [0xd3, (it: NumberCursor) => number(it, it.i64())],
  ...[1, 2, 4, 8, 16].map((length, index) =>
    [0xd4 + index, (it: NumberCursor) => extension(it, length)] as const
  ),
  [0xd9, (it: NumberCursor) => text(it, it.u8())],
  [0xda, (it: NumberCursor) => text(it, it.u16())],
  [0xdb, (it: NumberCursor) => text(it, it.u32())],
  [0xdc, (it: NumberCursor): Token => ({ open: "list", count: it.u16() })],
  [0xdd, (it: NumberCursor): Token => ({ open: "list", count: it.u32() })],
  [0xde, (it: NumberCursor): Token => ({ open: "map", count: it.u16() })],
  [0xdf, (it: NumberCursor): Token => ({ open: "map", count: it.u32() })],
]);

function number({ position }: NumberCursor, value: number): Token {
  return { kind: "number", value, start: position, length: 0 };
}

function other({ position }: NumberCursor): Token {
  return { kind: "other", start: position, length: 0 };
}

function text(cursor: NumberCursor, length: number): Token {
  const start = cursor.position;
  return { kind: "text", value: cursor.text(length, MAX_TEXT_BYTES), start, length };
}

function bytes(cursor: NumberCursor, length: number): Token {
  const start = cursor.position;
  cursor.skip(length);
  return { kind: "bytes", start, length };
}

function extension(cursor: NumberCursor, length: number): Token {
  const type = cursor.i8();
  const start = cursor.position;
  cursor.skip(length);
  return { kind: "extension", type, start, length };
}

function unknown(type: number, position: number): never {
  const message = `Unknown MessagePack type ${type} at ${position}`;
  throw new MalformedError("malformed_msgpack", message);
}
