import type { DocumentEntry } from "../document_event.ts";
import { CODES, isBlank, isFlowIndicator, stopsAt, type YamlCursor } from "./cursor.ts";
import { type Scalar, ScalarText } from "./scalar_text.ts";

const PLAIN_STOPS = stopsAt(" \t:");
const FLOW_PLAIN_STOPS = stopsAt(" \t:,[]{}");
const QUOTED_STOPS = stopsAt("\"'\\");

/** The characters that escapes of one letter stand for, by their codes (YAML 1.2, 5.7). */
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({
    "0": 0,
    a: 0x07,
    b: 0x08,
    t: 0x09,
    "\t": 0x09,
    n: 0x0a,
    v: 0x0b,
    f: 0x0c,
    r: 0x0d,
    e: 0x1b,
    " ": 0x20,
    '"': 0x22,
    "/": 0x2f,
    "\\": 0x5c,
    N: 0x85,
    _: 0xa0,
    L: 0x2028,
    P: 0x2029,
  }).map(([letter, code]) => [letter.charCodeAt(0), code]),
);

/** The number of hexadecimal digits after `x`, `u` and `U`. */
const HEX_DIGITS: ReadonlyMap<number, number> = new Map([[0x78, 2], [0x75, 4], [0x55, 8]]);

/** A further line of a plain scalar. */
interface PlainLine {
  readonly begin: number;
  readonly end: number;
  /** Whether a colon follows, which is an error. Then the line is read again as that of a key. */
  readonly isKey: boolean;
}

/** Reads plain and quoted scalars at a cursor, as PyYAML does. */
export class YamlScalars {
  readonly #cursor: YamlCursor;
  readonly #onFault: (message: string) => void;
  readonly #value: ScalarText;

  constructor(cursor: YamlCursor, onFault: (message: string) => void) {
    this.#cursor = cursor;
    this.#onFault = onFault;
    this.#value = new ScalarText(cursor);
  }

  /**
   * Reads a plain scalar and its further lines. Outside of flow collections, those begin at the column
   * `indent` or deeper.
   */
  plain(indent: number, flow: boolean): Scalar {
    const cursor = this.#cursor;
    const start = cursor.at;
    let end = Math.max(this.#plainEnd(start, flow), start + 1);
    cursor.at = end;
    let isOneLine = true;
    for (;;) {
      const { lineStart } = cursor;
      const next = this.#plainContinuation(indent, flow);
      if (next !== undefined) {
        if (isOneLine) {
          this.#value.clear();
          this.#value.append(start, end);
        }
        isOneLine = false;
        this.#value.fold(cursor.blanksEnd(end), next.begin);
        this.#value.append(next.begin, next.end);
      }
      if (next === undefined || next.isKey) {
        cursor.at = end;
        cursor.lineStart = lineStart;
        return isOneLine ? this.#value.slice(start, end) : this.#value.collected();
      }
      end = next.end;
      cursor.at = end;
    }
  }

  /** Reads a quoted scalar, which may span lines. */
  quoted(): Scalar {
    const cursor = this.#cursor;
    const quote = cursor.code();
    let run = ++cursor.at;
    let isDirect = true;
    this.#value.clear();
    for (;;) {
      const at = cursor.nextStop(cursor.at, QUOTED_STOPS);
      const code = cursor.code(at);
      const isClosed = code === quote &&
        !(quote === CODES.singleQuote && cursor.code(at + 1) === quote);
      if (isClosed || code === CODES.end) {
        cursor.at = Math.min(at + 1, cursor.size);
        if (!isClosed) this.#onFault("A string is not closed");
        if (isDirect) return this.#value.slice(run, at);
        this.#value.append(run, at);
        return this.#value.collected();
      }
      cursor.at = at;
      if (!this.#quotedPart(run, quote)) {
        cursor.at = at + 1;
        continue;
      }
      isDirect = false;
      if (cursor.isDocumentMark()) {
        this.#onFault("A document separator is inside a string");
        return this.#value.collected();
      }
      run = cursor.at;
    }
  }

  /**
   * Appends the run of characters up to here and what follows: a line break, an escape or a doubled
   * quotation mark. Returns false if the character here is an ordinary one.
   */
  #quotedPart(run: number, quote: number): boolean {
    const cursor = this.#cursor;
    const { text, at } = cursor;
    const code = cursor.code();
    if (cursor.breakLength() > 0) {
      let end = at;
      while (end > run && isBlank(text.charCodeAt(end - 1))) end--;
      this.#value.append(run, end);
      this.#skipBreaks();
      this.#value.fold(at, cursor.at);
      return true;
    }
    if (code === quote) {
      this.#value.append(run, at + 1);
      cursor.at += 2;
      return true;
    }
    if (code !== CODES.backslash || quote !== CODES.doubleQuote) return false;
    this.#value.append(run, at);
    this.#escape();
    return true;
  }

  /** Reads an escape at its backslash. An unknown one stands for its letter. */
  #escape(): void {
    const cursor = this.#cursor;
    cursor.at++;
    if (cursor.takeBreak()) {
      const rest = cursor.at;
      this.#skipBreaks();
      this.#value.appendBreaks(rest, cursor.at);
      return;
    }
    const letter = cursor.code();
    if (letter === CODES.end) return;
    cursor.at++;
    const digits = HEX_DIGITS.get(letter);
    const code = digits === undefined ? ESCAPES.get(letter) : this.#hexNumber(digits);
    if (code === undefined || code > 0x10ffff) this.#onFault("A string has a malformed escape");
    if (code === undefined) this.#value.appendByte(letter);
    else this.#value.appendCodePoint(code);
  }

  /** Reads a number with exactly this many digits. Reads nothing and returns undefined if there are fewer. */
  #hexNumber(digits: number): number | undefined {
    const { text, at } = this.#cursor;
    const written = text.slice(at, at + digits);
    if (written.length < digits || !/^[0-9A-Fa-f]+$/.test(written)) return undefined;
    this.#cursor.at += digits;
    return parseInt(written, 16);
  }

  /**
   * Moves over line breaks and blanks, at most to a document mark. Tabs must not precede the column
   * `indent`.
   */
  #skipBreaks(indent = 0): void {
    const cursor = this.#cursor;
    cursor.takeBreak();
    while (!cursor.isDocumentMark()) {
      while (cursor.column < indent && cursor.code() === CODES.space) cursor.at++;
      if (cursor.column < indent && cursor.code() === CODES.tab) {
        this.#onFault("A tab is used for indentation");
      }
      cursor.at = cursor.blanksEnd(cursor.at);
      if (!cursor.takeBreak()) return;
    }
  }

  /** The next line of a plain scalar, or undefined if the scalar ends before. Moves to that line. */
  #plainContinuation(indent: number, flow: boolean): PlainLine | undefined {
    const cursor = this.#cursor;
    cursor.at = cursor.blanksEnd(cursor.at);
    if (cursor.breakLength() === 0) return undefined;
    this.#skipBreaks(indent);
    if (cursor.isAtEnd || cursor.code() === CODES.hash || cursor.isDocumentMark()) return undefined;
    if (!flow && cursor.column < indent) return undefined;
    const begin = cursor.at;
    const end = this.#plainEnd(begin, flow);
    if (end === begin) return undefined;
    const isKey = !flow && cursor.code(cursor.blanksEnd(end)) === CODES.colon;
    if (isKey) this.#onFault("A key is inside a plain value");
    return { begin, end, isKey };
  }

  /** The index after the last character of a plain scalar on its line. */
  #plainEnd(from: number, flow: boolean): number {
    const cursor = this.#cursor;
    const stops = flow ? FLOW_PLAIN_STOPS : PLAIN_STOPS;
    let at = from;
    for (;;) {
      at = cursor.nextStop(at, stops);
      const next = cursor.blanksEnd(at);
      const code = cursor.code(next);
      if (cursor.isBreakOrEnd(next) || next > at && code === CODES.hash) return at;
      if (code === CODES.colon ? this.#endsKey(next, flow) : flow && isFlowIndicator(code)) {
        return at;
      }
      at = next > at ? next : at + 1;
    }
  }

  /** Whether the colon here ends a plain key. */
  #endsKey(colon: number, flow: boolean): boolean {
    if (this.#cursor.isBlankOrEnd(colon + 1)) return true;
    const next = this.#cursor.code(colon + 1);
    if (flow && next === CODES.question) this.#onFault("A question mark follows a colon");
    return flow && isFlowIndicator(next);
  }
}

/** Integers in other bases, and with underscores between digits. */
const INTEGER = /^([-+]?)(0b[01_]+|0o[0-7_]+|0x[0-9a-f_]+|\d[\d_]*)$/i;

/** The value of a plain scalar under YAML 1.1: a boolean, null, a number, or else its text. */
export function resolvePlain(text: string): DocumentEntry["value"] {
  if (/^(?:true|yes|on)$/i.test(text)) return true;
  if (/^(?:false|no|off)$/i.test(text)) return false;
  if (/^(?:null|~)$/i.test(text)) return null;
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits !== undefined) {
    const number = Number(digits.replaceAll("_", ""));
    if (!Number.isNaN(number)) return sign === "-" ? -number : number;
  }
  return /^[-+]?\d+\.\d+$/.test(text) ? Number(text) : text;
}
