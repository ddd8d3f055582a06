import { JsonError, type JsonErrorCode } from "./error.ts";

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Most digits of an integer that is read exactly: those of 2^64 - 1. */
const EXACT_DIGITS = 20;

/** A place in a JSON text, which reads the tokens of RFC 8259 one by one. */
export class StrictJsonCursor {
  position = 0;
  readonly #spaces = /[ \t\n\r]*/y;
  readonly #hex = /[0-9a-fA-F]{4}/y;
  readonly #number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

  constructor(readonly text: string) {}

  fail(code: JsonErrorCode = "malformed"): never {
    throw new JsonError(code, this.position);
  }

  /** The next character that is no space, which stays unread; empty at the end. */
  peek(): string {
    this.#match(this.#spaces);
    return this.text.charAt(this.position);
  }

  /** Whether the next token is `token`, which is read then. */
  take(token: string): boolean {
    this.peek();
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }

  /** @throws {JsonError} where the next token is another one. */
  expect(token: string): void {
    if (!this.take(token)) this.fail();
  }

  /** Reads a string, quotes included. */
  string(): string {
    this.expect('"');
    let value = "";
    for (;;) {
      value += this.#plain();
      const end = this.text.charAt(this.position);
      if (end !== '"' && end !== "\\") this.fail();
      this.position++;
      if (end === '"') return value;
      value += this.#escape();
    }
  }

  /** Reads a number: a bigint where it is an integer that no number can hold. */
  number(): number | bigint {
    this.peek();
    const digits = this.#match(this.#number);
    if (digits === "") this.fail();
    const value = Number(digits);
    const inexact = !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(digits);
    return inexact && digits.length <= EXACT_DIGITS + 1 ? BigInt(digits) : value;
  }

  #plain(): string {
    const start = this.position;
    while (isPlain(this.text.charCodeAt(this.position))) this.position++;
    return this.text.slice(start, this.position);
  }

  #escape(): string {
    const letter = this.text.charAt(this.position);
    this.position++;
    if (letter === "u") {
      const unit = this.#match(this.#hex);
      return unit === "" ? this.fail() : String.fromCharCode(Number.parseInt(unit, 16));
    }
    return ESCAPED[letter] ?? this.fail();
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.position += found.length;
    return found;
  }
}

function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit !== QUOTE && unit !== BACKSLASH;
}
