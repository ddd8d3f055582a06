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
import { YamlAnchors } from "./anchors.ts";
import {
  endsKey,
  isBlank,
  isDocumentMark,
  lineEnd,
  nextContent,
  readBlock,
  readPlain,
  readQuoted,
  resolvePlain,
  type Scalar,
  tagEnd,
  wordEnd,
} from "./scalars.ts";
import { YamlTags } from "./tags.ts";

/** How many anchored scalars are kept for their aliases, and how long each may be. */
const MAX_NAMED_SCALARS = 1000;
const MAX_NAMED_CHARACTERS = 4096;

/** The column of keys in flow collections: deeper than that of any line. */
const FLOW_COLUMN = 1e9;

/** Reads one YAML text step by step. Each character of it is a byte. */
export class YamlReader {
  readonly #text: string;
  readonly #anchors = new YamlAnchors();
  readonly #tags = new YamlTags();
  /** The column of each key on the path. */
  readonly #columns: number[] = [];
  readonly #path: string[] = [];
  #at = 0;
  #lineStart = 0;
  /** Whether the line has had nothing but list markers so far. */
  #lineIsNew = true;
  /** How many flow collections are open. */
  #flow = 0;
  /** The lines of a value are indented deeper than this column, which is that of a key or a list item. */
  #parent = -1;
  #parentIsKey = false;
  #stopped = false;
  /** The anchored scalars, for their aliases. */
  readonly #named = new Map<string, DocumentEntry["value"]>();
  #anchorOfNext: string | undefined;
  /** Whether the next scalar is a key because a `?` precedes it. */
  #keyIsNext = false;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#stopped || this.#at >= this.#text.length;
  }

  *step(): Generator<DocumentEvent, void, void> {
    const character = this.#text[this.#at] ?? "";
    if (character === "\n") return this.#newLine();
    if (isBlank(character)) return this.#skip(1);
    if (character === "#" && isBlank(this.#text[this.#at - 1])) return yield* this.#comment();
    if (this.#lineIsNew && this.#flow === 0 && this.#lineBegins(character)) return;
    const blankNext = isBlank(this.#text[this.#at + 1]);
    if ((character === "?" || character === ":") && blankNext) return this.#indicator();
    yield* this.#node(character);
  }

  *end(): Generator<DocumentEvent, void, void> {
    yield* this.#anchors.events();
    if (this.#flow > 0 && !this.#stopped) yield this.#malformed("A list or mapping is not closed");
  }

  /** Reads a directive, document mark or list marker. Returns false at a node. */
  #lineBegins(character: string): boolean {
    const column = this.#at - this.#lineStart;
    if (column === 0 && character === "%") {
      const end = lineEnd(this.#text, this.#at);
      this.#tags.directive(this.#text.slice(this.#at, end));
      this.#at = end;
      return true;
    }
    if (isDocumentMark(this.#text, this.#at)) {
      if (character === ".") this.#tags.reset();
      this.#anchors.lineBegins(-1, false);
      this.#leaveKeys(0);
      this.#parent = -1;
      this.#skip(3);
      return true;
    }
    const isListItem = character === "-" && isBlank(this.#text[this.#at + 1]);
    this.#anchors.lineBegins(column, isListItem);
    if (!isListItem) {
      this.#lineIsNew = false;
      return false;
    }
    this.#leaveKeys(column + 1);
    this.#parent = column;
    this.#parentIsKey = false;
    this.#skip(1);
    return true;
  }

  /** Skips a `?` or `:`. The lines of the key or value are indented deeper than it. */
  #indicator(): void {
    if (this.#flow === 0) {
      this.#parent = this.#at - this.#lineStart;
      this.#parentIsKey = true;
    }
    this.#keyIsNext = this.#text[this.#at] === "?";
    this.#skip(1);
  }

  *#node(character: string): Generator<DocumentEvent, void, void> {
    switch (character) {
      case "&":
        return this.#anchor();
      case "*":
        return yield* this.#alias();
      case "!":
        return yield* this.#tag();
      case "[":
      case "{":
        return yield* this.#openFlow();
      case "]":
      case "}":
      case ",":
        return this.#flowMark(character);
      case '"':
      case "'":
        return yield* this.#scalar(readQuoted(this.#text, this.#at), true);
      case "|":
      case ">":
        if (this.#flow > 0) return this.#skip(1);
        return yield* this.#scalar(readBlock(this.#text, this.#at, this.#parent), true);
      default:
        return yield* this.#plain();
    }
  }

  *#plain(): Generator<DocumentEvent, void, void> {
    const scalar = readPlain(this.#text, this.#at, this.#parent, this.#flow > 0);
    if (scalar.end === this.#at) return this.#skip(1);
    yield* this.#scalar(scalar, false);
  }

  *#scalar({ value, end, open }: Scalar, quoted: boolean): Generator<DocumentEvent, void, void> {
    const [position, column] = [this.#at, this.#at - this.#lineStart];
    this.#moveTo(end);
    if (open) yield this.#malformed("A string is not closed");
    if (value.length > MAX_STRING_BYTES) yield stringTooLong(position);
    const text = value.slice(0, MAX_STRING_BYTES);
    let colon = end;
    while (this.#text[colon] === " " || this.#text[colon] === "\t") colon++;
    const isKey = endsKey(this.#text, colon, this.#flow > 0) ||
      quoted && this.#flow > 0 && this.#text[colon] === ":";
    if (isKey) return yield* this.#key(text, position, column, colon);
    if (this.#keyIsNext) return yield* this.#key(text, position, column, end - 1);
    this.#anchors.scalar();
    const entry = this.#entry("value", quoted ? text : resolvePlain(text), position);
    this.#nameScalar(entry.value);
    yield entry;
  }

  *#key(name: string, position: number, column: number, colon: number) {
    const keyColumn = this.#flow > 0 ? FLOW_COLUMN + this.#flow : column;
    this.#leaveKeys(keyColumn);
    this.#columns.push(keyColumn);
    this.#path.push(name.slice(0, MAX_KEY_CHARACTERS));
    if (this.#flow === 0) {
      this.#parent = column;
      this.#parentIsKey = true;
    }
    this.#at = colon + 1;
    this.#keyIsNext = false;
    this.#anchorOfNext = undefined;
    yield this.#entry("key", name, position);
    if (this.#path.length > MAX_NESTING_DEPTH) yield* this.#tooDeep(position);
  }

  *#comment(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    this.#at = lineEnd(this.#text, position);
    const text = this.#text.slice(position, Math.min(this.#at, position + MAX_STRING_BYTES));
    yield this.#entry("comment", utf8FromLatin1(text), position);
  }

  #anchor(): void {
    const context = { column: this.#parent, ofKey: this.#parentIsKey, flow: this.#flow };
    this.#anchorOfNext = this.#word().slice(1);
    this.#anchors.anchor(this.#anchorOfNext, context);
  }

  #nameScalar(value: DocumentEntry["value"]): void {
    if (this.#anchorOfNext === undefined) return;
    const isShort = typeof value !== "string" || value.length <= MAX_NAMED_CHARACTERS;
    if (isShort && this.#named.size < MAX_NAMED_SCALARS) this.#named.set(this.#anchorOfNext, value);
    this.#anchorOfNext = undefined;
  }

  *#alias(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    const name = this.#word();
    if (name.length < 2) {
      this.#at = position;
      return yield* this.#plain();
    }
    this.#anchors.alias(name.slice(1));
    const value = this.#named.get(name.slice(1));
    const colon = nextContent(this.#text, this.#at);
    if (typeof value === "string" && endsKey(this.#text, colon, this.#flow > 0)) {
      return yield* this.#key(value, position, position - this.#lineStart, colon);
    }
    if (value !== undefined) yield this.#entry("value", value, position);
  }

  *#tag(): Generator<DocumentEvent, void, void> {
    const position = this.#at;
    const written = this.#consume(tagEnd(this.#text, position));
    yield { kind: "tag", tag: this.#tags.resolve(written.slice(0, 1024)), position };
  }

  *#openFlow(): Generator<DocumentEvent, void, void> {
    this.#anchorOfNext = undefined;
    this.#flow++;
    this.#skip(1);
    if (this.#flow > MAX_NESTING_DEPTH) yield* this.#tooDeep(this.#at);
  }

  #flowMark(character: string): void {
    this.#skip(1);
    if (this.#flow === 0) return;
    this.#leaveKeys(FLOW_COLUMN + this.#flow);
    this.#anchors.elementEnds(this.#flow);
    if (character !== ",") this.#flow--;
  }

  *#tooDeep(position: number): Generator<DocumentEvent, void, void> {
    this.#stopped = true;
    yield nestingTooDeep(position);
  }

  #newLine(): void {
    this.#skip(1);
    this.#lineStart = this.#at;
    this.#lineIsNew = true;
  }

  #skip(characters: number): void {
    this.#at += characters;
  }

  /** Moves to an offset that may be on a later line. */
  #moveTo(end: number): void {
    const lastBreak = this.#text.slice(this.#at, end).lastIndexOf("\n");
    if (lastBreak >= 0) this.#lineStart = this.#at + lastBreak + 1;
    this.#at = end;
  }

  /** Consumes a word. */
  #word(): string {
    return this.#consume(wordEnd(this.#text, this.#at));
  }

  #consume(end: number): string {
    const word = this.#text.slice(this.#at, end);
    this.#at += Math.max(word.length, 1);
    return word;
  }

  /** Drops the keys at this column or deeper from the path. */
  #leaveKeys(column: number): void {
    while ((this.#columns.at(-1) ?? -1) >= column) {
      this.#columns.pop();
      this.#path.pop();
    }
  }

  #entry(
    kind: DocumentEntry["kind"],
    value: DocumentEntry["value"],
    position: number,
  ): DocumentEntry {
    return { kind, path: this.#path, value, position };
  }

  #malformed(message: string): DocumentEvent {
    const position = this.#at;
    return { kind: "defect", severity: "info", message, position, incomplete: "malformed_yaml" };
  }
}
