import type { YamlAliases } from "../document_event.ts";

/** Anchors beyond this number are not tracked. */
const MAX_ANCHORS = 10_000;

/** Anchored nodes nested deeper than this count as part of the enclosing ones. */
const MAX_OPEN_ANCHORS = 64;

/** Counts stop here, so that doubling a size over and over stays a finite number. */
const MAX_SCALARS = 1e12;

/** Where an anchored node begins. */
export interface AnchorContext {
  /** The node's lines are indented deeper than this column. */
  readonly column: number;
  /** Whether the node is the value of a key. A list may then begin at the same column. */
  readonly ofKey: boolean;
  /** How many flow collections enclose the node. */
  readonly flow: number;
}

interface OpenAnchor extends AnchorContext {
  readonly name: string;
  size: number;
}

/**
 * Counts the scalars that the aliases of a YAML document yield when each is expanded. A few lines of
 * nested aliases can yield more than fits into memory.
 */
export class YamlAnchors {
  readonly #sizes = new Map<string, number>();
  #open: OpenAnchor[] = [];
  #expanded = 0;

  /** An anchored node begins. */
  anchor(name: string, context: AnchorContext): void {
    if (this.#open.length >= MAX_OPEN_ANCHORS || this.#sizes.size >= MAX_ANCHORS) return;
    this.#open.push({ ...context, name, size: 0 });
  }

  /** An alias repeats the node that it names. The expansion of one inside its own node is endless. */
  alias(name: string): void {
    const isWithinItself = this.#open.some((open) => open.name === name);
    const size = isWithinItself ? MAX_SCALARS : this.#sizes.get(name) ?? 1;
    this.#expanded = Math.min(this.#expanded + size, MAX_SCALARS);
    this.#grow(size);
  }

  scalar(): void {
    this.#grow(1);
  }

  /** A line begins at this column, outside of flow collections. */
  lineBegins(column: number, isListItem: boolean): void {
    this.#closeWhere((open) =>
      open.flow > 0 || column < open.column ||
      column === open.column && !(isListItem && open.ofKey)
    );
  }

  /** An element of a flow collection ends at this depth. */
  elementEnds(flow: number): void {
    this.#closeWhere((open) => open.flow >= flow);
  }

  /** The number of expanded scalars; nothing for a document without aliases. */
  *events(): Generator<YamlAliases, void, void> {
    if (this.#expanded === 0) return;
    yield { kind: "aliases", expandedScalars: this.#expanded, position: 0 };
  }

  #closeWhere(ended: (open: OpenAnchor) => boolean): void {
    if (this.#open.length === 0) return;
    for (const open of this.#open.filter(ended)) this.#sizes.set(open.name, Math.max(open.size, 1));
    this.#open = this.#open.filter((open) => !ended(open));
  }

  #grow(size: number): void {
    for (const open of this.#open) open.size = Math.min(open.size + size, MAX_SCALARS);
  }
}
