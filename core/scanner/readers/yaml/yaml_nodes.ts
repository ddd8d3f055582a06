import { utf8FromLatin1 } from "../bytes/latin1_text.ts";
import {
  type Defect,
  type DocumentEntry,
  type DocumentEvent,
  MAX_STRING_BYTES,
  stringTooLong,
} from "../document_event.ts";
import { type Anchor, YamlAnchors } from "./anchors.ts";
import { BlockScalarReader, readBlockHeader } from "./block_scalar.ts";
import { CODES, YamlCursor } from "./cursor.ts";
import { resolvePlain, YamlScalars } from "./scalars.ts";
import { SimpleKey } from "./simple_key.ts";
import { YamlStructure } from "./structure.ts";

const ANCHOR_NAME = /[\w-]+/y;
/** Anchor names of YAML 1.2, which PyYAML rejects. */
const LONG_ANCHOR_NAME = /[^ \t\r\n,[\]{}]+/y;
/** What may follow an anchor name besides a blank. */
const AFTER_ANCHOR_NAME = "?:,]}%@`";

/** Characters that no plain scalar begins with. */
const NOT_PLAIN = "%@`|>*&";

type Value = DocumentEntry["value"];

/** Reads the nodes of a YAML text that are no collections, and keeps the events of the current token. */
export class YamlNodes {
  readonly cursor: YamlCursor;
  readonly anchors: YamlAnchors;
  readonly structure: YamlStructure;
  readonly key: SimpleKey;
  readonly #scalars: YamlScalars;
  readonly #blocks: BlockScalarReader;
  /** The collection that an alias repeats after the current token. */
  #repeated: { readonly anchor: Anchor; readonly position: number } | undefined;
  /** Events that precede that of the current token. */
  #queue: DocumentEvent[] = [];
  #hasFault = false;
  #isAliasCut = false;

  constructor(text: string, unicodeBreaks: boolean) {
    const onFault = (message: string) => this.fault(message);
    this.cursor = new YamlCursor(text, unicodeBreaks);
    this.anchors = new YamlAnchors(text.length);
    this.structure = new YamlStructure(this.anchors, onFault);
    this.key = new SimpleKey(this.cursor);
    this.#scalars = new YamlScalars(this.cursor, onFault);
    this.#blocks = new BlockScalarReader(this.cursor);
  }

  /** The text is malformed here. Only the first time is reported, as the rest may follow from it. */
  fault(message: string, position = this.cursor.at): undefined {
    if (this.#hasFault) return;
    this.#hasFault = true;
    this.#queue.push(defect(message, position, "malformed_yaml"));
  }

  get hasQueue(): boolean {
    return this.#queue.length > 0;
  }

  get hasRepeated(): boolean {
    return this.#repeated !== undefined;
  }

  /** Takes the events that precede that of the current token. */
  *takeQueue(): Generator<DocumentEvent, void, void> {
    yield* this.#queue;
    this.#queue = [];
  }

  /** Repeats the values of a collection if the current token is an alias of one. */
  *takeRepeated(): Generator<DocumentEvent, void, void> {
    if (this.#repeated === undefined) return;
    const { anchor, position } = this.#repeated;
    this.#repeated = undefined;
    const { path } = this.structure;
    const { length } = path;
    for (const { path: rest, value } of this.anchors.valuesOf(anchor)) {
      path.push(...rest);
      this.anchors.keep(path, value);
      yield this.entry("value", value, position);
      path.length = length;
    }
    this.#checkAlias(anchor, position);
    yield* this.takeQueue();
  }

  /** A node or its properties begin at the cursor. */
  begin(): void {
    if (!this.key.isAllowed) return this.key.begin(false);
    this.notKey();
    const { flow, indent } = this.structure;
    const isRequired = flow === 0 && this.cursor.column === indent;
    this.structure.keyMayBegin(isRequired);
    this.key.begin(isRequired);
  }

  /** The node that began is not a key. */
  notKey(): void {
    if (this.key.drop()) this.fault("A key has no colon");
  }

  /** The index of the colon that makes the node which ends here a simple key; undefined if none does. */
  colonAhead(): number | undefined {
    const { cursor, structure } = this;
    const isInFlow = structure.flow > 0;
    if (isInFlow && structure.isKeyNext) return undefined;
    const colon = cursor.blanksEnd(cursor.at);
    if (cursor.code(colon) !== CODES.colon) return undefined;
    if (!isInFlow && !cursor.isBlankOrEnd(colon + 1)) return undefined;
    if (!this.key.isKeyBefore(colon)) this.fault("A key is where none can begin", colon);
    return colon;
  }

  /** A simple key ends with its colon. */
  endKey(colon: number): undefined {
    this.key.drop();
    this.key.isAllowed = false;
    this.cursor.at = colon + 1;
  }

  /** A plain or quoted scalar. */
  scalar(position: number): DocumentEvent {
    const { cursor, structure } = this;
    const code = cursor.code();
    const isPlain = code !== CODES.doubleQuote && code !== CODES.singleQuote;
    if (isPlain && NOT_PLAIN.includes(String.fromCharCode(code))) {
      this.fault("A character cannot begin a value");
    }
    this.begin();
    const { value: text, isCut } = isPlain
      ? this.#scalars.plain(structure.indent + 1, structure.flow > 0)
      : this.#scalars.quoted();
    if (isCut) this.#queue.push(stringTooLong(position));
    const colon = this.colonAhead();
    if (colon === undefined) return this.#node(text, isPlain, position);
    structure.simpleKey(this.key.column);
    this.#setKey(text, isPlain);
    this.endKey(colon);
    return this.entry("key", text, position);
  }

  /** A block scalar at its `|` or `>`. */
  block(position: number): DocumentEvent {
    this.notKey();
    const header = readBlockHeader(this.cursor);
    if (header.isMalformed) this.fault("The header of a block scalar is malformed");
    if (this.cursor.code() === CODES.hash) this.#queue.push(this.comment());
    const { value, isCut } = this.#blocks.read(header, this.structure.indent);
    if (isCut) this.#queue.push(stringTooLong(position));
    this.key.isAllowed = true;
    return this.#node(value, false, position);
  }

  /** An anchor. */
  anchor(position: number): DocumentEvent | undefined {
    this.begin();
    const name = this.#takeName();
    if (name === undefined) return this.scalar(position);
    this.structure.property(name);
  }

  /** An alias, which repeats a scalar or a collection. */
  alias(position: number): DocumentEvent | undefined {
    this.begin();
    const name = this.#takeName();
    if (name === undefined) return this.scalar(position);
    const { structure, anchors } = this;
    const colon = this.colonAhead();
    if (colon !== undefined) structure.simpleKey(this.key.column);
    else this.notKey();
    // A mapping that begins with the alias may have the anchor.
    const anchor = anchors.alias(name);
    this.#checkAlias(anchor, position);
    const scalar = anchors.isCut(anchor) ? undefined : anchor?.scalar;
    const { anchor: own, hasTag } = structure.takeProperties();
    if (own !== undefined || hasTag) this.fault("An alias has a tag or an anchor", position);
    if (colon !== undefined || structure.node()) {
      structure.setKey(scalar?.text ?? "");
      if (colon !== undefined) this.endKey(colon);
      return scalar === undefined ? undefined : this.entry("key", scalar.text, position);
    }
    if (scalar === undefined) {
      if (anchor !== undefined) this.#repeated = { anchor, position };
      return undefined;
    }
    anchors.keep(structure.path, scalar.value);
    return this.entry("value", scalar.value, position);
  }

  /** A comment at its `#`. */
  comment(): DocumentEntry {
    const position = this.cursor.at;
    this.cursor.skipLine();
    const end = Math.min(this.cursor.at, position + MAX_STRING_BYTES);
    return this.entry("comment", utf8FromLatin1(this.cursor.text.slice(position, end)), position);
  }

  entry(kind: DocumentEntry["kind"], value: Value, position: number): DocumentEntry {
    return { kind, path: this.structure.path, value, position };
  }

  /** A scalar that no colon follows. */
  #node(text: string, isPlain: boolean, position: number): DocumentEntry {
    const { structure, anchors } = this;
    this.notKey();
    if (structure.node()) {
      this.#setKey(text, isPlain);
      return this.entry("key", text, position);
    }
    const value = isPlain ? resolvePlain(text) : text;
    const { anchor } = structure.takeProperties();
    anchors.scalar(structure.path, value);
    if (anchor !== undefined) anchors.name(anchor, { text, value });
    return this.entry("value", value, position);
  }

  /** Makes a scalar the key of the current entry. */
  #setKey(text: string, isPlain: boolean): void {
    const { anchor, hasTag } = this.structure.takeProperties();
    if (anchor !== undefined) {
      this.anchors.name(anchor, { text, value: isPlain ? resolvePlain(text) : text });
    }
    this.structure.setKey(text, isPlain && text === "<<" && !hasTag);
  }

  /** Takes the name after a `&` or `*`; undefined, and nothing, if there is none. */
  #takeName(): string | undefined {
    const { text, at } = this.cursor;
    const end = endOf(ANCHOR_NAME, text, at + 1);
    const isEnded = this.cursor.isBlankOrEnd(end) || AFTER_ANCHOR_NAME.includes(text[end] ?? " ");
    if (end > at + 1 && isEnded) {
      this.cursor.at = end;
      return text.slice(at + 1, end);
    }
    this.fault("The name of an anchor is malformed");
    const longEnd = endOf(LONG_ANCHOR_NAME, text, at + 1);
    if (longEnd === at + 1) return undefined;
    this.cursor.at = longEnd;
    return text.slice(at + 1, longEnd);
  }

  /** Reports an alias that does not repeat all that it should. */
  #checkAlias(anchor: Anchor | undefined, position: number): void {
    if (this.anchors.isCut(anchor)) {
      if (this.#isAliasCut) return;
      this.#isAliasCut = true;
      const message = "There are too many anchors or aliases to repeat all that they stand for";
      this.#queue.push({ ...defect(message, position, "too_many_aliases"), operational: true });
    } else if (anchor === undefined) this.fault("An alias has no anchor", position);
  }
}

/** The index after what a sticky pattern matches at an index. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function defect(message: string, position: number, incomplete: string): Defect {
  return { kind: "defect", severity: "info", message, position, incomplete };
}
