import type { DocumentEvent } from "../document_event.ts";

/** Aliases that stand for more scalars than this are meant to fill the memory. */
const WRITTEN_OUT = 100_000;

/** Anchors beyond this number are not followed. */
const ANCHORS = 10_000;

/** Anchored nodes that lie in each other, beyond which their sizes are those of the outer ones. */
const OPEN = 64;

/** Sizes grow no further: a number with this many scalars is too large in any case. */
const LARGEST = 1e12;

/** Where a node with an anchor stands. */
export interface AnchorContext {
  /** The column that the node's lines are deeper than. */
  readonly column: number;
  /** Whether it is the value of a key: a list may then begin at the same column. */
  readonly ofKey: boolean;
  /** How many flows it is in. */
  readonly flow: number;
}

interface OpenAnchor extends AnchorContext {
  readonly name: string;
  size: number;
}

/**
 * How many scalars the aliases of a YAML text stand for when each of them is written out: a few lines
 * can stand for more than any memory holds.
 */
export class YamlAnchors {
  readonly #sizes = new Map<string, number>();
  #open: OpenAnchor[] = [];
  #written = 0;

  /** How many scalars the aliases so far stand for. */
  get writtenOut(): number {
    return this.#written;
  }

  anchor(name: string, place: AnchorContext): void {
    if (this.#open.length >= OPEN || this.#sizes.size >= ANCHORS) return;
    this.#open.push({ ...place, name, size: 0 });
  }

  /** An alias: the node that it names, once more; one within itself has no end. */
  alias(name: string): void {
    const isWithinItself = this.#open.some((open) => open.name === name);
    const size = isWithinItself ? LARGEST : this.#sizes.get(name) ?? 1;
    this.#written = Math.min(this.#written + size, LARGEST);
    this.#grow(size);
  }

  scalar(): void {
    this.#grow(1);
  }

  /** A line begins outside of flows, at this column. */
  lineBegins(column: number, isListItem: boolean): void {
    this.#endWhere((open) =>
      open.flow > 0 || column < open.column ||
      column === open.column && !(isListItem && open.ofKey)
    );
  }

  /** An element of a flow ends at this depth. */
  elementEnds(flow: number): void {
    this.#endWhere((open) => open.flow >= flow);
  }

  #endWhere(ended: (open: OpenAnchor) => boolean): void {
    if (this.#open.length === 0) return;
    for (const open of this.#open.filter(ended)) this.#sizes.set(open.name, Math.max(open.size, 1));
    this.#open = this.#open.filter((open) => !ended(open));
  }

  #grow(size: number): void {
    for (const open of this.#open) open.size = Math.min(open.size + size, LARGEST);
  }

  /** Tells where aliases stand for more than a text of its size is meant to. */
  *defects(): Generator<DocumentEvent, void, void> {
    if (this.writtenOut <= WRITTEN_OUT) return;
    yield {
      kind: "defect",
      severity: "warning",
      message: `Aliases stand for ${this.writtenOut.toExponential(0)} values or more`,
      position: 0,
    };
  }
}
