import type { Anchor, YamlAnchors } from "./anchors.ts";
import { type Collection, OpenCollections, type OuterProperties } from "./collections.ts";
import { NO_PROPERTIES, overlap, PendingProperties, type Properties } from "./properties.ts";

/**
 * The structure of a YAML text. Its methods stand for indicators and nodes in the order of the text. They
 * follow PyYAML's scanner and parser; what those reject is a fault, and taken for what it resembles.
 */
export class YamlStructure {
  readonly #onFault: (message: string) => void;
  readonly #collections: OpenCollections;
  readonly #properties: PendingProperties;
  #flow = 0;
  /** Whether the document began without `---`. */
  #isImplicit = true;
  #isInDirectives = false;

  constructor(anchors: YamlAnchors, onFault: (message: string) => void) {
    this.#onFault = onFault;
    this.#collections = new OpenCollections(anchors, onFault);
    this.#properties = new PendingProperties(onFault);
  }

  /** The keys from the root to the current node. */
  get path(): string[] {
    return this.#collections.path;
  }

  /** How many flow collections are open. */
  get flow(): number {
    return this.#flow;
  }

  /** The column of the innermost block collection, or -1. */
  get indent(): number {
    return this.#top.indent;
  }

  get isTooDeep(): boolean {
    return this.#collections.isTooDeep;
  }

  /** Whether the next node is that of an explicit key. */
  get isKeyNext(): boolean {
    return this.#top.expected === "key";
  }

  /** Whether properties of the next node were read. */
  get hasProperties(): boolean {
    return this.#properties.own !== NO_PROPERTIES;
  }

  /** A tag of the next node, or its anchor. */
  property(anchor?: string): void {
    this.#properties.add(anchor);
  }

  /** The properties of the node that was read. */
  takeProperties(): Properties {
    return this.#properties.take();
  }

  /**
   * A key may begin here.
   *
   * @param isRequired Whether nothing else may.
   */
  keyMayBegin(isRequired: boolean): void {
    if (!isRequired) return this.#properties.keyMayBegin();
    this.#emptyNode(this.takeProperties());
    if (this.#top.kind === "indentless") this.#collections.leave();
    this.#collections.clearKey();
  }

  /** A token outside of flow collections begins at this column. */
  unwind(column: number): void {
    if (this.#top.indent <= column) return;
    this.#emptyNode(this.takeProperties());
    while (this.#top.indent > column) this.#collections.leave();
  }

  /** A scalar, an alias or a collection. Returns whether it is a key. */
  node(): boolean {
    return this.#collections.node();
  }

  /** The key of the current entry. A merge key does not change the path. */
  setKey(name: string, isMerge = false): void {
    this.#collections.setKey(name, isMerge);
  }

  /** A `-` outside of flow collections. */
  item(column: number): void {
    const properties = this.takeProperties();
    if (column > this.#top.indent) return this.#enterBlock("sequence", column, properties);
    if (this.#top.kind !== "mapping") {
      this.#emptyNode(properties);
      this.#top.expected = "value";
      return;
    }
    const { expected } = this.#top;
    if (expected !== "key" && expected !== "value") {
      this.#onFault("A list item is where a key is expected");
      this.#top.expected = "value";
    }
    this.#enterBlock("indentless", column, properties);
  }

  /** A `?`. */
  explicitKey(column: number): void {
    this.#beginEntry(column, this.takeProperties());
    this.#top.expected = "key";
  }

  /** A colon that is not that of a simple key. */
  colon(column: number): void {
    const properties = this.takeProperties();
    if (this.#flow > 0) this.#emptyNode(properties);
    else this.#enterMapping(column, properties);
    const { expected } = this.#top;
    if (expected !== "key" && expected !== "colon") {
      this.#onFault("A value has no key");
      if (expected !== "comma") this.#collections.clearKey();
    }
    if (!this.#top.hasKey) this.setKey("");
    this.#top.expected = "value";
  }

  /** A key that a colon follows on its line. Its properties remain to be taken. */
  simpleKey(column: number): void {
    const own = this.#properties.takeOwn();
    this.#beginEntry(column, this.takeProperties());
    this.#top.expected = "value";
    this.#properties.restoreOwn(own);
  }

  /** A simple key that has only properties. */
  emptyKey(column: number): void {
    this.simpleKey(column);
    this.#collections.nameEmpty(this.takeProperties().anchor);
    this.setKey("");
  }

  /** A `[` or `{`. Only at its end is it known whether it is a key. */
  enterFlow(kind: "flowSequence" | "flowMapping"): void {
    const collections = this.#collections;
    const own = this.#properties.takeOwn();
    const outer = this.takeProperties();
    const before = outer === NO_PROPERTIES
      ? undefined
      : { anchor: collections.openAnchor(outer.anchor), isDouble: overlap(own, outer) };
    this.#flow++;
    collections.enter(kind, this.indent, "entry", collections.openAnchor(own.anchor), before);
  }

  /** A `]` or `}`. {@link flowNode} follows. */
  leaveFlow(kind: "flowSequence" | "flowMapping"): OuterProperties | undefined {
    this.#emptyNode(this.takeProperties());
    if (this.#top.kind !== kind) this.#onFault("A bracket closes a brace, or a brace a bracket");
    this.#flow--;
    return this.#collections.leave().outer;
  }

  /**
   * The node that a flow collection is.
   *
   * @param keyColumn The column of the collection if it is a simple key.
   */
  flowNode(outer: OuterProperties | undefined, keyColumn: number | undefined): void {
    if (keyColumn !== undefined) {
      this.#beginEntry(keyColumn, NO_PROPERTIES, outer?.anchor);
      this.setKey("");
      this.#top.expected = "value";
      return;
    }
    if (outer?.isDouble) this.#properties.faultTwice();
    this.#collections.closeAnchor(outer?.anchor);
    if (this.node()) this.setKey("");
  }

  /** A `,` in a flow collection. */
  comma(): void {
    this.#emptyNode(this.takeProperties());
    if (this.#top.expected === "entry") this.#onFault("An element of a list or mapping is missing");
    this.#collections.clearKey();
    this.#top.expected = "entry";
  }

  /** A directive. Returns whether it is the first of a document. */
  directive(): boolean {
    const isFirst = !this.#isInDirectives;
    this.#endDocument();
    this.#isInDirectives = true;
    this.#isImplicit = false;
    return isFirst;
  }

  /** A `---`. Returns whether no directive precedes it. */
  documentStart(): boolean {
    const isBare = !this.#isInDirectives;
    this.#endDocument();
    this.#top.expected = "value";
    this.#isInDirectives = false;
    this.#isImplicit = false;
    return isBare;
  }

  /** A `...`. */
  documentEnd(): void {
    const isEmpty = this.#endDocument() && this.#isImplicit;
    if (this.#isInDirectives || isEmpty) this.#onFault("A document ends before it begins");
    this.#isInDirectives = false;
  }

  /** The end of the text. */
  end(): void {
    if (this.#isInDirectives) this.#onFault("No document follows a directive");
    this.#endDocument();
  }

  get #top(): Collection {
    return this.#collections.top;
  }

  /** Leaves all collections. Returns whether the document was still to begin. */
  #endDocument(): boolean {
    if (this.#flow > 0) this.#onFault("A list or mapping is not closed");
    this.#emptyNode(this.takeProperties());
    while (this.#top.kind !== "document") this.#collections.leave();
    this.#flow = 0;
    const isEmpty = this.#top.expected === "value";
    this.#top.expected = "done";
    return isEmpty;
  }

  /** An entry of a mapping, or of a list of pairs, begins with a key at this column. */
  #beginEntry(column: number, properties: Properties, anchor?: Anchor): void {
    if (this.#flow === 0) {
      this.#enterMapping(column, properties, anchor);
    } else {
      this.#emptyNode(properties);
      if (this.#top.expected !== "entry") this.#onFault("A key is where none is expected");
    }
    if (this.#top.anchor !== anchor) this.#collections.closeAnchor(anchor);
    this.#collections.clearKey();
  }

  /** Makes the mapping with keys at this column the innermost collection. */
  #enterMapping(column: number, properties: Properties, anchor?: Anchor): void {
    if (column > this.#top.indent) return this.#enterBlock("mapping", column, properties, anchor);
    this.#emptyNode(properties);
    if (this.#top.kind === "indentless") this.#collections.leave();
    if (this.#top.kind === "mapping") return;
    this.#onFault("A key is in a list");
    this.#collections.leave();
    this.#enterBlock("mapping", column, NO_PROPERTIES);
  }

  #enterBlock(
    kind: "sequence" | "indentless" | "mapping",
    column: number,
    { anchor: name }: Properties,
    anchor = this.#collections.openAnchor(name),
  ): void {
    this.node();
    this.#collections.enter(kind, column, kind === "mapping" ? "entry" : "value", anchor);
  }

  /** A node that has only properties, or nothing. */
  #emptyNode(properties: Properties): void {
    if (properties === NO_PROPERTIES) return;
    this.#collections.nameEmpty(properties.anchor);
    if (this.node()) this.setKey("");
  }
}
