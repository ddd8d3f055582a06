import { JSON_ESCAPES } from "../text/escapes.ts";

/** Why a JSON text was refused. */
export type JsonErrorCode = "malformed" | "not_utf8" | "too_long" | "too_deep" | "too_many_values";

/** Thrown for text that is not strict JSON, and for JSON that exceeds a limit. */
export class JsonError extends SyntaxError {
  override readonly name = "JsonError";

  /** @param position Index of the character at which parsing stopped. */
  constructor(readonly code: JsonErrorCode, readonly position: number) {
    super(`Cannot read JSON: ${code} at ${position}`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The digits of 2^64 - 1. Longer integers are rounded to a number. */
const MAX_EXACT_DIGITS = 20;

/** Reads the tokens of RFC 8259, and nothing else, from a text in memory. */
export class StrictJsonCursor {
  position = 0;
  readonly #spaces = /[ \t\n\r]*/y;
  readonly #hex = /[0-9a-fA-F]{4}/y;
  readonly #number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

  constructor(readonly text: string) {}

  /** @throws {JsonError} always, with the current position. */
  fail(code: JsonErrorCode = "malformed"): never {
    throw new JsonError(code, this.position);
  }

  /** Skips white space and returns the next character without consuming it; `""` at the end. */
  peek(): string {
    this.#match(this.#spaces);
    return this.text.charAt(this.position);
  }

  /** Consumes `token` if it comes next, and returns whether it did. */
  take(token: string): boolean {
    this.peek();
    if (!this.text.startsWith(token, this.position)) return false;
    this.position += token.length;
    return true;
  }

  /** @throws {JsonError} when `token` does not come next. */
  expect(token: string): void {
    if (!this.take(token)) this.fail();
  }

  /** Reads a string with its quotes, and returns its content. */
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

  /** Reads a number. An integer of up to 20 digits that a number would round is returned as a bigint. */
  number(): number | bigint {
    this.peek();
    const digits = this.#match(this.#number);
    if (digits === "") this.fail();
    const value = Number(digits);
    const inexact = !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(digits);
    return inexact && digits.length <= MAX_EXACT_DIGITS + 1 ? BigInt(digits) : value;
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
    return JSON_ESCAPES[letter] ?? this.fail();
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
