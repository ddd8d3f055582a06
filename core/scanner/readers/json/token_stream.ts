import { type ByteCursor, END } from "../bytes/byte_cursor.ts";
import { KIB } from "../../../../schemas/units.ts";
import { MAX_STRING_BYTES } from "../document_event.ts";
import { JSON_ESCAPES } from "../text/escapes.ts";

/** A token of JSON, or of malformed JSON. */
export type JsonToken =
  | { readonly kind: "{" | "}" | "[" | "]" | "," | ":"; readonly position: number }
  | {
    readonly kind: "string";
    readonly position: number;
    readonly value: string;
    /** Whether `value` holds only the beginning of the string. */
    readonly cut: boolean;
    /** Whether the closing quotation mark is present. */
    readonly closed: boolean;
  }
  | { readonly kind: "word"; readonly position: number; readonly word: string }
  /** As in configurations of editors and compilers; `text` is its beginning. */
  | { readonly kind: "comment"; readonly position: number; readonly text: string };

/** The rest of a longer comment is skipped. */
const MAX_COMMENT_BYTES = 16 * KIB;

const SLASH = 0x2f;
const STAR = 0x2a;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Enough for any number. The rest of a longer word is skipped. */
const MAX_WORD_BYTES = 64;

const MARKS: ReadonlyMap<number, "{" | "}" | "[" | "]" | "," | ":"> = new Map([
  [0x7b, "{"],
  [0x7d, "}"],
  [0x5b, "["],
  [0x5d, "]"],
  [0x2c, ","],
  [0x3a, ":"],
]);

/** Splits JSON (RFC 8259) of any size into tokens, without holding it in memory. Accepts any bytes. */
export class JsonTokenStream {
  readonly #cursor: ByteCursor;
  readonly #string = new Uint8Array(MAX_STRING_BYTES);
  readonly #decoder = new TextDecoder();

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
  }

  /** The next token; undefined at the end. */
  next(): JsonToken | undefined {
    const cursor = this.#cursor;
    while (isSpace(cursor.peek())) cursor.skip();
    const position = cursor.position;
    const byte = cursor.peek();
    if (byte === END) return undefined;
    if (byte === QUOTE) return this.#readString(position);
    const mark = MARKS.get(byte);
    if (byte === SLASH) return this.#readSlash(position);
    if (mark === undefined) return this.#readWord(position);
    cursor.skip();
    return { kind: mark, position };
  }

  #readString(position: number): JsonToken {
    this.#cursor.skip();
    let length = 0;
    let escaped = false;
    let escapes = false;
    while (true) {
      const byte = this.#cursor.peek();
      if (byte === END || byte === QUOTE && !escaped) break;
      this.#cursor.skip();
      if (length < MAX_STRING_BYTES) this.#string[length] = byte;
      length++;
      escaped = byte === BACKSLASH && !escaped;
      escapes ||= escaped;
    }
    const closed = this.#cursor.peek() === QUOTE;
    if (closed) this.#cursor.skip();
    const text = this.#decoder.decode(this.#string.subarray(0, Math.min(length, MAX_STRING_BYTES)));
    const value = escapes ? unescapeJson(text) : text;
    return { kind: "string", position, value, cut: length > MAX_STRING_BYTES, closed };
  }

  /** Reads a comment, or a word that begins with a slash. */
  #readSlash(position: number): JsonToken {
    this.#cursor.skip();
    const second = this.#cursor.peek();
    if (second !== SLASH && second !== STAR) return this.#readWord(position, "/");
    this.#cursor.skip();
    let text = "";
    for (let before = 0;;) {
      const byte = this.#cursor.peek();
      if (byte === END || second === SLASH && byte === LINE_FEED) break;
      this.#cursor.skip();
      if (second === STAR && before === STAR && byte === SLASH) {
        text = text.replace(/\*$/, "");
        break;
      }
      if (text.length < MAX_COMMENT_BYTES) text += String.fromCharCode(byte);
      before = byte;
    }
    return { kind: "comment", position, text };
  }

  #readWord(position: number, start = ""): JsonToken {
    let word = start;
    while (true) {
      const byte = this.#cursor.peek();
      if (byte === END || byte === QUOTE || isSpace(byte) || MARKS.has(byte)) break;
      if (word.length < MAX_WORD_BYTES) word += String.fromCharCode(byte);
      this.#cursor.skip();
    }
    return { kind: "word", position, word };
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function unescapeJson(text: string): string {
  return text.replace(
    /\\(?:u([0-9A-Fa-f]{4})|([^]))/g,
    (_, hex?: string, plain = "") =>
      hex === undefined ? JSON_ESCAPES[plain] ?? plain : String.fromCharCode(parseInt(hex, 16)),
  );
}
