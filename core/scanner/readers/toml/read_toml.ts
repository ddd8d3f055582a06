import { utf8FromLatin1 } from "../bytes/latin1_text.ts";
import {
  type DocumentEntry,
  type DocumentEvent,
  MAX_KEY_CHARACTERS,
  MAX_NESTING_DEPTH,
  MAX_STRING_BYTES,
  nestingTooDeep,
  stringTooLong,
} from "../document_event.ts";
import { BoundedText } from "../text/bounded_text.ts";

/** Parts of a dotted table name that are kept in the path. */
const MAX_TABLE_KEYS = 100;

/**
 * Reads the keys, values and comments of a TOML document. It accepts everything that parsers accept,
 * and does not report what they would reject.
 *
 * @param text The document as Latin-1, so that positions are byte offsets.
 */
export function* readToml(text: string): Generator<DocumentEvent, void, void> {
  const reader = new TomlReader(text);
  while (!reader.done) yield* reader.step();
}

interface Scalar {
  readonly value: string;
  /** Whether the value is only the beginning of a longer one. */
  readonly isCut: boolean;
  /** The index after the scalar. */
  readonly end: number;
  /** Whether the text ended before the closing quotation mark. */
  readonly open: boolean;
}

class TomlReader {
  readonly #text: string;
  /** The table, the keys of the open inline tables, and the current key. */
  #path: string[] = [];
  #table: string[] = [];
  /** The length of the path at the start of each open inline table or list. */
  readonly #open: number[] = [];
  readonly #value = new BoundedText();
  #at = 0;
  #afterEquals = false;
  #lineIsNew = true;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  *step(): Generator<DocumentEvent, void, void> {
    const character = this.#text[this.#at] ?? "";
    switch (character) {
      case "\n":
        return this.#newLine();
      case " ":
      case "\t":
      case "\r":
        this.#at++;
        return;
      case "#":
        return yield* this.#comment();
      case "[":
      case "{":
        return yield* this.#openOrTable(character);
      case "]":
      case "}":
        this.#at++;
        this.#open.pop();
        return;
      case ",":
        this.#at++;
        this.#shortenPath(this.#open.at(-1));
        this.#afterEquals = false;
        return;
      case "=":
        this.#at++;
        this.#afterEquals = true;
        return;
      default:
        return yield* this.#word();
    }
  }

  *#openOrTable(character: string): Generator<DocumentEvent, void, void> {
    if (character === "[" && this.#lineIsNew && this.#open.length === 0) {
      return yield* this.#tableHeader();
    }
    this.#at++;
    this.#open.push(this.#path.length);
    this.#afterEquals = false;
    if (this.#open.length <= MAX_NESTING_DEPTH) return;
    yield nestingTooDeep(this.#at);
    this.#at = this.#text.length;
  }

  *#tableHeader(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    this.#table = [];
    this.#at += this.#text.startsWith("[[", position) ? 2 : 1;
    while (this.#takeBlanksAndDots()) {
      const begin = this.#at;
      const { value, end, open } = this.#scalar(begin);
      this.#at = Math.max(end, begin + 1);
      if (open) yield unclosedString(begin);
      if (this.#table.length < MAX_TABLE_KEYS) this.#table.push(value.slice(0, MAX_KEY_CHARACTERS));
    }
    while (this.#text[this.#at] === "]") this.#at++;
    this.#path = [...this.#table];
    this.#lineIsNew = false;
    const value = this.#table.at(-1) ?? "";
    yield { kind: "key", path: this.#path, value, position };
  }

  /** Moves to the next name in the header of a table. Returns false if there is none. */
  #takeBlanksAndDots(): boolean {
    let character = this.#text[this.#at];
    while (character === "." || character === " " || character === "\t" || character === "\r") {
      character = this.#text[++this.#at];
    }
    return character !== undefined && !/[\]\n#]/.test(character);
  }

  *#word(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    const { value: text, end, open, isCut } = this.#scalar(position);
    this.#at = Math.max(end, position + 1);
    this.#lineIsNew = false;
    if (open) yield unclosedString(position);
    if (isCut) yield stringTooLong(position);
    if (this.#afterEquals || !this.#takeKey()) {
      const quoted = /["']/.test(this.#text[position] ?? "");
      return yield this.#entry("value", quoted ? text : resolveBare(text), position);
    }
    this.#path.push(text.slice(0, MAX_KEY_CHARACTERS));
    yield this.#entry("key", text, position);
    if (this.#path.length <= MAX_NESTING_DEPTH) return;
    yield nestingTooDeep(position);
    this.#at = this.#text.length;
  }

  /** Whether the word is a key, or a part of a dotted one. Moves past the blanks and dot after it. */
  #takeKey(): boolean {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
    const isDotted = this.#text[this.#at] === ".";
    if (isDotted) this.#at++;
    return isDotted || this.#text[this.#at] === "=";
  }

  #scalar(start: number): Scalar {
    const quote = this.#text[start];
    if (quote !== '"' && quote !== "'") return this.#bare(start);
    const mark = this.#text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
    let at = start + mark.length;
    while (at < this.#text.length && !this.#text.startsWith(mark, at)) {
      if (mark.length === 1 && this.#text[at] === "\n") break;
      at += quote === '"' && this.#text[at] === "\\" ? 2 : 1;
    }
    // Up to two quotation marks may precede the closing three.
    for (let more = 0; more < 2 && mark.length === 3; more++) {
      if (this.#text.startsWith(mark, at + 1)) at++;
    }
    const begin = start + mark.length;
    const open = !this.#text.startsWith(mark, at);
    const inner = quote === '"' ? this.#unescaped(begin, at) : this.#slice(begin, at);
    return { ...inner, end: at + mark.length, open };
  }

  #bare(start: number): Scalar {
    const ends = this.#afterEquals || this.#open.length > 0 ? /[,\s#=[\]{}]/g : /[.\s#=[\]{}]/g;
    ends.lastIndex = start;
    const end = ends.exec(this.#text)?.index ?? this.#text.length;
    return { ...this.#slice(start, end), end, open: false };
  }

  #slice(from: number, to: number): Pick<Scalar, "value" | "isCut"> {
    const end = Math.min(to, from + MAX_STRING_BYTES);
    return { value: utf8FromLatin1(this.#text.slice(from, end)), isCut: end < to };
  }

  /** The value of a part of the text with escapes (TOML 1.0, "String"). */
  #unescaped(from: number, to: number): Pick<Scalar, "value" | "isCut"> {
    const end = Math.min(to, this.#text.length);
    let run = from;
    this.#value.clear();
    for (let at = from; at < end;) {
      if (this.#text[at] !== "\\") {
        at++;
        continue;
      }
      this.#value.append(this.#text, run, at);
      at = this.#appendEscape(at + 1);
      run = at;
    }
    this.#value.append(this.#text, run, end);
    return { value: this.#value.toString(), isCut: this.#value.isCut };
  }

  /** Appends what an escape stands for. Returns the index after it. */
  #appendEscape(at: number): number {
    JOINED_LINES.lastIndex = at;
    if (JOINED_LINES.test(this.#text)) return JOINED_LINES.lastIndex;
    const [written = "", x, u, long] = ESCAPE.exec(this.#text.slice(at, at + 9)) ?? [];
    const hex = x ?? u ?? long;
    const code = hex === undefined ? ESCAPES[written] : parseInt(hex, 16);
    if (code === undefined) this.#value.append(this.#text, at, at + 1);
    else this.#value.appendCodePoint(code);
    return at + Math.max(written.length, 1);
  }

  *#comment(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    this.#at = this.#lineEnd();
    const text = this.#text.slice(position, Math.min(this.#at, position + MAX_STRING_BYTES));
    yield this.#entry("comment", utf8FromLatin1(text), position);
  }

  #newLine(): void {
    this.#at++;
    this.#lineIsNew = true;
    if (this.#open.length > 0) return;
    this.#path = [...this.#table];
    this.#afterEquals = false;
  }

  #shortenPath(length: number | undefined): void {
    if (length !== undefined) this.#path.length = Math.min(this.#path.length, length);
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end < 0 ? this.#text.length : end;
  }

  #entry(
    kind: DocumentEntry["kind"],
    value: DocumentEntry["value"],
    position: number,
  ): DocumentEntry {
    return { kind, path: this.#path, value, position };
  }
}

function unclosedString(position: number): DocumentEvent {
  const message = "A string is not closed";
  return { kind: "defect", severity: "info", message, position, incomplete: "malformed_toml" };
}

function resolveBare(text: string): DocumentEntry["value"] {
  if (text === "true" || text === "false") return text === "true";
  return /^[-+]?\d[\d_]*(?:\.\d+)?$/.test(text) ? Number(text.replaceAll("_", "")) : text;
}

/** A backslash at the end of a line joins the line with the next one that is not blank. */
const JOINED_LINES = /[ \t]*\r?\n[ \t\r\n]*/y;

const ESCAPE = /^(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[^])/;

/** The characters that letters after a backslash stand for: those of TOML 1.0, and the `e` of 1.1. */
const ESCAPES: Readonly<Record<string, number>> = {
  b: 0x08,
  e: 0x1b,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};
