import type { ByteSource } from "../../contract/source.ts";
import { ByteCursor, END } from "../bytes/byte_cursor.ts";
import type { DocumentEntry } from "../document_event.ts";
import { MalformedError } from "../malformed.ts";
import { type EscapeLetters, JSON_ESCAPES } from "../text/escapes.ts";

/** Nested messages. Parsers of protobuf allow 100. */
const MAX_DEPTH = 100;
/** Bytes kept of a text. */
const MAX_TEXT_BYTES = 64 * 1024;

/** A scalar field of a message, or the start of a nested one, whose value is null. */
export type TextFormatEntry = Pick<DocumentEntry, "path" | "value" | "position">;

/**
 * Reads the fields of a message in the text format of protobuf, such as a `.prototxt`, without a
 * schema. The path holds the names of the fields; the reader reuses the array.
 *
 * @throws {MalformedError} where the text is not in the format.
 */
export function* readTextFormat(
  source: ByteSource,
  limit: number,
): Generator<TextFormatEntry, void, void> {
  const reader = new FieldReader(new Tokens(new ByteCursor(source, limit)));
  yield* reader.entries();
}

class FieldReader {
  readonly #tokens: Tokens;
  readonly #path: string[] = [];
  /** For each open message or list, its closing symbol. A list has the name of its field on the path. */
  readonly #open: string[] = [];

  constructor(tokens: Tokens) {
    this.#tokens = tokens;
  }

  *entries(): Generator<TextFormatEntry, void, void> {
    for (let token = this.#tokens.next(); token.kind !== "end"; token = this.#tokens.next()) {
      const closing = this.#open.at(-1);
      if (token.kind === "symbol" && (token.text === ";" || token.text === ",")) continue;
      if (token.kind === "symbol" && token.text === closing) {
        this.#open.pop();
        // A message in a list leaves the name of the list on the path.
        if (this.#open.at(-1) !== "]" || closing === "]") this.#path.pop();
      } else if (closing === "]") yield* this.#value(token);
      else yield* this.#field(token);
    }
    if (this.#open.length > 0) throw malformed(this.#tokens.position);
  }

  *#field(token: Token): Generator<TextFormatEntry, void, void> {
    const isExtension = token.kind === "symbol" && token.text === "[";
    if (!isExtension && token.kind !== "word") throw malformed(token.position);
    this.#path.push(isExtension ? this.#tokens.bracketed() : token.text);
    let value = this.#tokens.next();
    if (value.kind === "symbol" && value.text === ":") value = this.#tokens.next();
    if (value.kind === "symbol" && value.text === "[") this.#open.push("]");
    else {
      yield* this.#value(value);
      if (value.kind !== "symbol") this.#path.pop();
    }
    if (this.#open.length <= MAX_DEPTH) return;
    throw new MalformedError("nesting_too_deep", "Messages are nested too deeply", true);
  }

  /** A scalar, or the beginning of a message. */
  *#value(token: Token): Generator<TextFormatEntry, void, void> {
    const { kind, text, position } = token;
    if (kind === "symbol" && (text === "{" || text === "<")) {
      this.#open.push(text === "{" ? "}" : ">");
      yield { path: this.#path, value: null, position };
    } else if (kind === "symbol" || kind === "end") throw malformed(position);
    else yield { path: this.#path, value: this.#tokens.joined(token), position };
  }
}

interface Token {
  readonly kind: "word" | "text" | "symbol" | "end";
  readonly text: string;
  readonly position: number;
}

const isWord = (byte: number) =>
  byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a ||
  byte === 0x5f || byte === 0x2e || byte === 0x2b || byte === 0x2d;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const HASH = 0x23;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

class Tokens {
  readonly #cursor: ByteCursor;
  #ahead: Token | undefined;

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
  }

  get position(): number {
    return this.#cursor.position;
  }

  next(): Token {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ?? this.#read();
  }

  /** A text with those that directly follow it. */
  joined(first: Token): string {
    if (first.kind !== "text") return first.text;
    let text = first.text;
    for (let token = this.next();; token = this.next()) {
      if (token.kind !== "text") {
        this.#ahead = token;
        return text;
      }
      if (text.length < MAX_TEXT_BYTES) text += token.text;
    }
  }

  /** The name of an extension, up to its closing bracket. */
  bracketed(): string {
    let name = "";
    for (let token = this.next(); token.text !== "]"; token = this.next()) {
      if (token.kind === "end" || name.length > MAX_TEXT_BYTES) throw malformed(token.position);
      name += token.text;
    }
    return name;
  }

  #read(): Token {
    this.#skipBlanks();
    const { position } = this.#cursor;
    const byte = this.#cursor.peek();
    if (byte === END) return { kind: "end", text: "", position };
    if (byte === QUOTE || byte === APOSTROPHE) return this.#text(byte, position);
    if (!isWord(byte)) {
      this.#cursor.skip();
      return { kind: "symbol", text: String.fromCharCode(byte), position };
    }
    const word: number[] = [];
    for (let it = byte; isWord(it); it = this.#cursor.peek()) {
      if (word.length < MAX_TEXT_BYTES) word.push(it);
      this.#cursor.skip();
    }
    return { kind: "word", text: decode(word), position };
  }

  #skipBlanks(): void {
    for (let byte = this.#cursor.peek();; byte = this.#cursor.peek()) {
      if (byte === HASH) {
        while (byte !== LINE_FEED && byte !== END) {
          this.#cursor.skip();
          byte = this.#cursor.peek();
        }
      } else if (byte !== 0x20 && (byte < 0x09 || byte > 0x0d)) return;
      if (byte !== END) this.#cursor.skip();
    }
  }

  #text(quote: number, position: number): Token {
    const bytes: number[] = [];
    this.#cursor.skip();
    for (let byte = this.#cursor.peek(); byte !== quote; byte = this.#cursor.peek()) {
      if (byte === END || byte === LINE_FEED) throw malformed(position);
      this.#cursor.skip();
      const escaped = byte === BACKSLASH ? this.#escaped(position) : byte;
      if (bytes.length < MAX_TEXT_BYTES) bytes.push(escaped);
    }
    this.#cursor.skip();
    return { kind: "text", text: decode(bytes), position };
  }

  /** The byte that an escape stands for: a letter, up to three octal or two hexadecimal digits. */
  #escaped(position: number): number {
    const letter = String.fromCharCode(this.#take(position));
    if (letter === "x" || letter === "X") return this.#number(16, 2, "");
    if (letter >= "0" && letter <= "7") return this.#number(8, 2, letter);
    return (ESCAPES[letter] ?? letter).charCodeAt(0);
  }

  #number(base: 8 | 16, maxDigits: number, first: string): number {
    let digits = first;
    for (let count = 0; count < maxDigits; count++) {
      const digit = String.fromCharCode(Math.max(0, this.#cursor.peek()));
      if (!(base === 8 ? /[0-7]/ : /[\da-f]/i).test(digit)) break;
      digits += digit;
      this.#cursor.skip();
    }
    return Number.parseInt(digits, base) & 0xff;
  }

  #take(position: number): number {
    const byte = this.#cursor.peek();
    if (byte === END) throw malformed(position);
    this.#cursor.skip();
    return byte;
  }
}

/** The characters that the letters after a backslash stand for. */
const ESCAPES: EscapeLetters = {
  ...JSON_ESCAPES,
  a: "\x07",
  v: "\v",
};

/** Longer texts are decoded by the slower way, which has no limit. */
const MAX_ASCII_CHARACTERS = 1024;
const DECODER = new TextDecoder();

function decode(bytes: readonly number[]): string {
  const isAscii = bytes.length <= MAX_ASCII_CHARACTERS && bytes.every((byte) => byte < 0x80);
  return isAscii ? String.fromCharCode(...bytes) : DECODER.decode(Uint8Array.from(bytes));
}

function malformed(position: number): MalformedError {
  return new MalformedError("malformed_text_format", `Not protobuf's text format at ${position}`);
}
