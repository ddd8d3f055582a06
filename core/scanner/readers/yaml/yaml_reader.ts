import { type DocumentEvent, nestingTooDeep } from "../document_event.ts";
import { CODES, type YamlCursor } from "./cursor.ts";
import type { SimpleKey } from "./simple_key.ts";
import type { YamlStructure } from "./structure.ts";
import { YamlTags } from "./tags.ts";
import { YamlNodes } from "./yaml_nodes.ts";

/** How much of a directive is read. */
const MAX_DIRECTIVE_BYTES = 8192;

/** Where loaders disagree about YAML. */
export interface YamlDialect {
  /** Whether lines also end at NEL, LS and PS, as in YAML 1.1. */
  readonly unicodeBreaks: boolean;
  /** Whether tags may contain `,`, `[` and `]`, as in PyYAML but not in libyaml. */
  readonly indicatorsInTags: boolean;
}

/** Reads one YAML text token by token. Each character of it is a byte. */
export class YamlReader {
  readonly #indicatorsInTags: boolean;
  readonly #tags = new YamlTags();
  readonly #nodes: YamlNodes;
  readonly #cursor: YamlCursor;
  readonly #structure: YamlStructure;
  readonly #key: SimpleKey;
  #isAmbiguous = false;

  constructor(text: string, { unicodeBreaks, indicatorsInTags }: YamlDialect) {
    this.#indicatorsInTags = indicatorsInTags;
    this.#nodes = new YamlNodes(text, unicodeBreaks);
    this.#cursor = this.#nodes.cursor;
    this.#structure = this.#nodes.structure;
    this.#key = this.#nodes.key;
  }

  /** Whether the part that was read depends on {@link YamlDialect.indicatorsInTags}. */
  get isAmbiguous(): boolean {
    return this.#isAmbiguous;
  }

  *events(): Generator<DocumentEvent, void, void> {
    const nodes = this.#nodes;
    while (!this.#cursor.isAtEnd) {
      const event = this.#token();
      if (nodes.hasQueue) yield* nodes.takeQueue();
      if (event !== undefined) yield event;
      if (nodes.hasRepeated) yield* nodes.takeRepeated();
      if (this.#structure.isTooDeep) {
        yield nestingTooDeep(this.#cursor.at);
        return yield* nodes.anchors.events();
      }
    }
    nodes.notKey();
    this.#structure.end();
    yield* nodes.takeQueue();
    yield* nodes.anchors.events();
  }

  #token(): DocumentEvent | undefined {
    const cursor = this.#cursor;
    this.#skipBlanks();
    if (cursor.takeBreak()) return this.#newLine();
    const position = cursor.at;
    const code = cursor.code();
    if (code === CODES.hash) return this.#nodes.comment();
    if (cursor.column === 0) {
      if (code === CODES.percent) return this.#directive();
      if (cursor.isDocumentMark()) return this.#documentMark(code === CODES.dash);
    }
    if (this.#structure.flow === 0) this.#structure.unwind(cursor.column);
    switch (code) {
      case CODES.end:
        return undefined;
      case CODES.openBracket:
        return this.#openFlow("flowSequence");
      case CODES.openBrace:
        return this.#openFlow("flowMapping");
      case CODES.closeBracket:
        return this.#closeFlow("flowSequence");
      case CODES.closeBrace:
        return this.#closeFlow("flowMapping");
      case CODES.comma:
        return this.#comma();
      case CODES.bang:
        return this.#tag();
      case CODES.ampersand:
        return this.#nodes.anchor(position);
      case CODES.asterisk:
        return this.#nodes.alias(position);
    }
    return this.#isIndicator(code) ? this.#indicator(code) : this.#nodes.scalar(position);
  }

  #isIndicator(code: number): boolean {
    const isInFlow = this.#structure.flow > 0;
    switch (code) {
      case CODES.pipe:
      case CODES.greater:
        return !isInFlow;
      case CODES.dash:
        return this.#cursor.isBlankOrEnd(this.#cursor.at + 1);
      case CODES.question:
      case CODES.colon:
        return isInFlow || this.#cursor.isBlankOrEnd(this.#cursor.at + 1);
      default:
        return false;
    }
  }

  #indicator(code: number): DocumentEvent | undefined {
    switch (code) {
      case CODES.dash:
        return this.#item();
      case CODES.question:
        return this.#explicitKey();
      case CODES.colon:
        return this.#colon();
      default:
        return this.#nodes.block(this.#cursor.at);
    }
  }

  /** Moves past blanks. Tabs are allowed where no key may begin. */
  #skipBlanks(): void {
    const cursor = this.#cursor;
    const begin = cursor.at;
    cursor.at = cursor.blanksEnd(begin);
    if (cursor.at === begin || this.#structure.flow > 0 || !this.#key.isAllowed) return;
    for (let at = begin; at < cursor.at; at++) {
      if (cursor.code(at) === CODES.tab) return this.#nodes.fault("A tab is used for indentation");
    }
  }

  #newLine(): undefined {
    if (this.#structure.flow > 0) return;
    this.#nodes.notKey();
    this.#key.isAllowed = true;
  }

  #directive(): undefined {
    const cursor = this.#cursor;
    const begin = cursor.at;
    this.#nodes.notKey();
    if (this.#structure.directive()) this.#tags.reset();
    this.#key.reset();
    cursor.skipLine();
    const line = cursor.text.slice(begin, Math.min(cursor.at, begin + MAX_DIRECTIVE_BYTES));
    if (!this.#tags.directive(line)) this.#nodes.fault("A directive is malformed", begin);
  }

  /** A `---` or `...`. */
  #documentMark(isStart: boolean): undefined {
    this.#nodes.notKey();
    if (!isStart) this.#structure.documentEnd();
    if (!isStart || this.#structure.documentStart()) this.#tags.reset();
    this.#nodes.anchors.reset();
    this.#key.reset();
    this.#cursor.at += "---".length;
  }

  #openFlow(kind: "flowSequence" | "flowMapping"): undefined {
    this.#nodes.begin();
    this.#key.enterFlow();
    this.#structure.enterFlow(kind);
    this.#cursor.at++;
  }

  #closeFlow(kind: "flowSequence" | "flowMapping"): undefined {
    this.#cursor.at++;
    if (this.#structure.flow === 0) return this.#nodes.fault("A bracket closes nothing");
    this.#nodes.notKey();
    const outer = this.#structure.leaveFlow(kind);
    this.#key.leaveFlow();
    const colon = this.#nodes.colonAhead();
    if (colon === undefined) {
      this.#nodes.notKey();
      this.#structure.flowNode(outer, undefined);
    } else {
      this.#structure.flowNode(outer, this.#key.column);
      this.#nodes.endKey(colon);
    }
  }

  #comma(): undefined {
    this.#cursor.at++;
    if (this.#structure.flow === 0) return this.#nodes.fault("A comma is outside of brackets");
    this.#nodes.notKey();
    this.#structure.comma();
    this.#key.isAllowed = true;
  }

  #item(): undefined {
    const { column } = this.#cursor;
    this.#cursor.at++;
    if (this.#structure.flow > 0) return this.#nodes.fault("A list item is in brackets");
    this.#nodes.notKey();
    if (!this.#key.isAllowed) this.#nodes.fault("A list item is where none can begin");
    this.#structure.item(column);
    this.#key.isAllowed = true;
  }

  #explicitKey(): undefined {
    this.#nodes.notKey();
    const isInFlow = this.#structure.flow > 0;
    if (!isInFlow && !this.#key.isAllowed) this.#nodes.fault("A key is where none can begin");
    this.#structure.explicitKey(this.#cursor.column);
    this.#key.isAllowed = !isInFlow;
    this.#cursor.at++;
  }

  /** A colon that no scalar precedes: that of an explicit key, or of one that has only properties. */
  #colon(): undefined {
    const { at } = this.#cursor;
    const isInFlow = this.#structure.flow > 0;
    if (this.#structure.hasProperties && this.#key.isKeyBefore(at)) {
      this.#structure.emptyKey(this.#key.column);
      return this.#nodes.endKey(at);
    }
    this.#nodes.notKey();
    if (!isInFlow && !this.#key.isAllowed) this.#nodes.fault("A value is where none can begin");
    this.#structure.colon(this.#cursor.column);
    this.#key.isAllowed = !isInFlow;
    this.#cursor.at++;
  }

  #tag(): DocumentEvent {
    const position = this.#cursor.at;
    this.#nodes.begin();
    this.#structure.property();
    const { tag, fault, hasIndicators } = this.#tags.read(this.#cursor, this.#indicatorsInTags);
    this.#isAmbiguous ||= hasIndicators === true;
    if (fault !== undefined) this.#nodes.fault(fault);
    return { kind: "tag", tag, position };
  }
}
