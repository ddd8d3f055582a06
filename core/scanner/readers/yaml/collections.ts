import { MAX_KEY_CHARACTERS, MAX_NESTING_DEPTH } from "../document_event.ts";
import type { Anchor, YamlAnchors } from "./anchors.ts";

/**
 * The kinds of collections. A document counts as one, with its root as the only element. An indentless
 * sequence is a list at the column of the key whose value it is.
 */
export type CollectionKind =
  | "document"
  | "sequence"
  | "indentless"
  | "mapping"
  | "flowSequence"
  | "flowMapping";

/**
 * What a collection expects:
 * - `entry`: the next entry
 * - `key`: the node of an explicit key
 * - `colon`: the colon after an explicit key
 * - `comma`: what ends an entry of a flow mapping that is only a key
 * - `value`: a value, an element, or the root of a document
 * - `done`: what begins the next entry; of a document, its end
 */
export type Expected = "entry" | "key" | "colon" | "comma" | "value" | "done";

/** An open collection. */
export interface Collection {
  readonly kind: CollectionKind;
  /** The column of its indicators or keys. That of a flow collection is that of the block around it. */
  readonly indent: number;
  /** The length of the path without a key of this collection. */
  readonly pathLength: number;
  expected: Expected;
  /** Whether the current entry has a key. */
  hasKey: boolean;
  readonly anchor: Anchor | undefined;
  readonly outer: OuterProperties | undefined;
}

/** The properties before a flow collection that may be those of a mapping which begins with it. */
export interface OuterProperties {
  readonly anchor: Anchor | undefined;
  /** Whether they repeat properties of the collection. */
  readonly isDouble: boolean;
}

/** The open collections of a YAML text, and the path that leads to the current node. */
export class OpenCollections {
  /** The keys from the root to the current node. */
  readonly path: string[] = [];
  readonly #anchors: YamlAnchors;
  readonly #onFault: (message: string) => void;
  readonly #open: Collection[] = [];
  #top: Collection;

  constructor(anchors: YamlAnchors, onFault: (message: string) => void) {
    this.#anchors = anchors;
    this.#onFault = onFault;
    this.#top = this.enter("document", -1, "value");
  }

  /** The innermost collection. */
  get top(): Collection {
    return this.#top;
  }

  get isTooDeep(): boolean {
    return this.#open.length > MAX_NESTING_DEPTH;
  }

  enter(
    kind: CollectionKind,
    indent: number,
    expected: Expected,
    anchor?: Anchor,
    outer?: OuterProperties,
  ): Collection {
    const pathLength = this.path.length;
    this.#top = { kind, indent, pathLength, expected, hasKey: false, anchor, outer };
    this.#open.push(this.#top);
    return this.#top;
  }

  /** Leaves the innermost collection. */
  leave(): Collection {
    const left = this.#top;
    if (left.anchor !== undefined) this.#anchors.close(left.anchor);
    this.path.length = left.pathLength;
    this.#open.pop();
    this.#top = this.#open.at(-1) ?? left;
    return left;
  }

  /** A scalar, an alias or a collection. Returns whether it is a key. */
  node(): boolean {
    const top = this.#top;
    const { expected } = top;
    if (expected === "key") {
      top.expected = "colon";
      return true;
    }
    if (expected === "entry" && top.kind === "flowMapping") {
      top.expected = "comma";
      return true;
    }
    const isElement = expected === "value" || expected === "entry" && top.kind === "flowSequence";
    if (!isElement) this.#onFault("A value is where none is expected");
    top.expected = "done";
    return false;
  }

  /** The key of the current entry. A merge key does not change the path. */
  setKey(name: string, isMerge: boolean): void {
    this.clearKey();
    this.#top.hasKey = true;
    if (!isMerge) this.path.push(name.slice(0, MAX_KEY_CHARACTERS));
  }

  clearKey(): void {
    this.path.length = this.#top.pathLength;
    this.#top.hasKey = false;
  }

  /** The anchor of a node that begins here. */
  openAnchor(name: string | undefined): Anchor | undefined {
    return name === undefined ? undefined : this.#anchors.open(name, this.path.length);
  }

  closeAnchor(anchor: Anchor | undefined): void {
    if (anchor !== undefined) this.#anchors.close(anchor);
  }

  /** The anchor of an empty node. */
  nameEmpty(name: string | undefined): void {
    if (name !== undefined) this.#anchors.name(name, undefined);
  }
}
