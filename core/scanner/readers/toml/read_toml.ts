import { type EscapeLetters, unescape } from "../text/escapes.ts";
import { utf8FromLatin1 } from "../bytes/bytes.ts";
import {
  type DocumentEntry,
  type DocumentEvent,
  MAX_KEY_CHARACTERS,
  MAX_NESTING_DEPTH,
  MAX_STRING_BYTES,
  nestingTooDeep,
  stringTooLong,
} from "../document_event.ts";

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

class TomlReader {
  readonly #text: string;
  /** The table, the keys of the open inline tables, and the current key. */
  #path: string[] = [];
  #table: string[] = [];
  /** The length of the path at the start of each open inline table or list. */
  readonly #open: number[] = [];
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
    const end = this.#lineEnd();
    const names = this.#text.slice(position, end).match(/"[^"]*"|'[^']*'|[\w-]+/g) ?? [];
    this.#table = names.slice(0, MAX_TABLE_KEYS).map((name) =>
      utf8FromLatin1(name.replace(/^["']|["']$/g, ""))
    );
    this.#path = [...this.#table];
    this.#at = end;
    const value = this.#table.at(-1) ?? "";
    yield { kind: "key", path: this.#path, value, position };
  }

  *#word(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    const { value, end, open } = this.#scalar(position);
    this.#at = Math.max(end, position + 1);
    this.#lineIsNew = false;
    if (open) yield unclosedString(position);
    if (value.length > MAX_STRING_BYTES) yield stringTooLong(position);
    const text = value.slice(0, MAX_STRING_BYTES);
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

  /** Whether the word is a key, or a part of a dotted one. Moves past the dot. */
  #takeKey(): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 64).trimStart();
    if (rest.startsWith(".")) this.#at = this.#text.indexOf(".", this.#at) + 1;
    return rest.startsWith("=") || rest.startsWith(".");
  }

  #scalar(start: number): { value: string; end: number; open: boolean } {
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
    const inner = utf8FromLatin1(this.#text.slice(start + mark.length, at));
    const value = quote === '"' ? unescapeQuoted(inner) : inner;
    return { value, end: at + mark.length, open: !this.#text.startsWith(mark, at) };
  }

  #bare(start: number): { value: string; end: number; open: boolean } {
    const ends = this.#afterEquals || this.#open.length > 0 ? /[,\s#=[\]{}]/g : /[.\s#=[\]{}]/g;
    ends.lastIndex = start;
    const end = ends.exec(this.#text)?.index ?? this.#text.length;
    return { value: utf8FromLatin1(this.#text.slice(start, end)), end, open: false };
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

/** TOML 1.0, "String", and the `\e` of TOML 1.1. */
const ESCAPES: EscapeLetters = {
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

function unescapeQuoted(text: string): string {
  const joined = text.replace(/(\\\\)|\\[ \t]*\r?\n\s*/g, "$1");
  return unescape(joined, ESCAPES, MAX_STRING_BYTES);
}
