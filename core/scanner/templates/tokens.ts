import { PYTHON_ESCAPES } from "../readers/text/escapes.ts";

/** A token of a Jinja template. */
export type Token =
  | {
    readonly kind: "data" | "name" | "string" | "operator";
    readonly text: string;
    readonly position: number;
  }
  | { readonly kind: "number"; readonly value: number; readonly position: number }
  /** The start or end of an expression or a statement. Comments and raw markers yield no token. */
  | { readonly kind: "print" | "statement" | "end"; readonly position: number };

/** The tokens of a template. */
export interface Tokens {
  readonly tokens: readonly Token[];
  /** Where Jinja would reject the template, although tokenizing went on. */
  readonly malformedPosition: number | undefined;
}

const OPENING = /\{[{%#]/g;
const RAW = /\{%[-+]?\s*raw\s*[-+]?%\}/y;
const END_RAW = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
const SPACE = /\s*/y;
const NAME = /[\p{ID_Continue}]+/uy;
const NUMBER =
  /0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][-+]?[0-9]+)?/y;
const OPERATOR = /\/\/|\*\*|[=!<>]=|[-+*/%~[\](){}<>=.,:|;]/y;
const END_PRINT = /[-+]?\}\}/y;
const END_STATEMENT = /[-+]?%\}/y;

/** Splits a template into tokens as Jinja does, with its default delimiters. */
export function tokenize(template: string): Tokens {
  return new Tokenizer(template).read();
}

class Tokenizer {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #position = 0;
  #malformedPosition: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Tokens {
    while (this.#position < this.#text.length) {
      const start = this.#data();
      if (start === undefined) break;
      if (this.#text[start + 1] === "#") this.#comment();
      else if (this.#match(RAW) !== "") this.#raw();
      else this.#code(this.#text[start + 1] === "{");
    }
    return { tokens: this.#tokens, malformedPosition: this.#malformedPosition };
  }

  #data(): number | undefined {
    const start = this.#find(OPENING)?.start;
    this.#pushData(start ?? this.#text.length);
    return start;
  }

  #pushData(end: number): void {
    const position = this.#position;
    if (end > position) {
      this.#tokens.push({ kind: "data", text: this.#text.slice(position, end), position });
    }
    this.#position = end;
  }

  #comment(): void {
    const end = this.#text.indexOf("#}", this.#position + 2);
    if (end < 0) this.#malformed();
    this.#position = end < 0 ? this.#text.length : end + 2;
  }

  #raw(): void {
    const end = this.#find(END_RAW);
    if (end === undefined) this.#malformed();
    this.#pushData(end?.start ?? this.#text.length);
    this.#position = end?.end ?? this.#text.length;
  }

  #code(print: boolean): void {
    this.#tokens.push({ kind: print ? "print" : "statement", position: this.#position });
    this.#position += 2;
    this.#match(/[-+]/y);
    let braces = 0;
    for (;;) {
      this.#match(SPACE);
      const position = this.#position;
      // Two closing braces can end nested dictionaries rather than the expression.
      if (braces === 0 && this.#match(print ? END_PRINT : END_STATEMENT) !== "") {
        this.#tokens.push({ kind: "end", position });
        return;
      }
      const operator = this.#token();
      if (operator === undefined) break;
      if (operator === "{") braces++;
      if (operator === "}") braces = Math.max(0, braces - 1);
    }
    this.#malformed();
    this.#tokens.push({ kind: "end", position: this.#position });
  }

  /** Reads one token. Returns the text of an operator, or undefined at the end of the template. */
  #token(): string | undefined {
    const position = this.#position;
    const first = this.#text.charAt(position);
    if (first === "") return undefined;
    if (first === "'" || first === '"') return this.#string(first);
    const number = this.#match(NUMBER);
    if (number !== "") return this.#number(number, position);
    const name = this.#match(NAME);
    const text = name || this.#match(OPERATOR);
    if (text === "") this.#skip();
    else this.#tokens.push({ kind: name === "" ? "operator" : "name", text, position });
    return name === "" ? text : "";
  }

  #number(digits: string, position: number): string {
    this.#tokens.push({ kind: "number", value: Number(digits.replaceAll("_", "")), position });
    return "";
  }

  #string(quote: string): string | undefined {
    const position = this.#position;
    let end = position + 1;
    while (end < this.#text.length && this.#text[end] !== quote) {
      end += this.#text[end] === "\\" ? 2 : 1;
    }
    if (end >= this.#text.length) this.#malformed();
    this.#position = Math.min(end + 1, this.#text.length);
    const text = unescapePython(this.#text.slice(position + 1, end));
    this.#tokens.push({ kind: "string", text, position });
    return "";
  }

  #skip(): void {
    this.#malformed();
    this.#position++;
  }

  #malformed(): void {
    this.#malformedPosition ??= this.#position;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#position += found.length;
    return found;
  }

  #find(pattern: RegExp): { readonly start: number; readonly end: number } | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text);
    return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
  }
}

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|N\{([^}]{1,80})\}|([^]))/g;

/** Decodes the escapes of a Python string literal, given without its quotes. */
function unescapePython(literal: string): string {
  return literal.replace(ESCAPE, (whole, x, u, long, octal, named, simple) => {
    const hex: unknown = x ?? u ?? long;
    if (typeof hex === "string") return codePoint(Number.parseInt(hex, 16));
    if (typeof octal === "string") return codePoint(Number.parseInt(octal, 8));
    if (typeof named === "string") return /^low line$/i.test(named) ? "_" : "\ufffd";
    return PYTHON_ESCAPES[String(simple)] ?? whole;
  });
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}
