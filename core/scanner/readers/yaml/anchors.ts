import type { DocumentEntry, YamlAliases } from "../document_event.ts";

/** Anchors beyond this number in a document are not tracked. */
const MAX_ANCHORS = 10_000;

/** Counts stop here, so that doubling a size over and over stays a finite number. */
const MAX_SCALARS = 1e12;

/** How many characters of anchored scalars are kept for the aliases of a document. */
const MAX_NAMED = 2 ** 22;

/** How many characters of values in anchored collections, and keys in their paths, are kept. */
const MAX_KEPT = 2 ** 22;

/**
 * How many characters and keys the aliases of a text repeat, at most: what short texts may need, and some
 * times the text. Honest aliases repeat less, and a few lines of nested ones would take minutes.
 */
const MIN_REPEATED = 1024;
const REPEATED_PER_CHARACTER = 4;
const MAX_REPEATED = 2 ** 24;

type Value = DocumentEntry["value"];

/** A scalar within an anchored collection. */
interface KeptValue {
  readonly path: readonly string[];
  readonly value: Value;
}

/** A scalar as it is written, and its value. */
export interface NamedScalar {
  readonly text: string;
  readonly value: Value;
}

/** An anchored node. */
export interface Anchor {
  /** The scalar that the node is, if it is one. */
  scalar?: NamedScalar;
  /** How many scalars the node yields, or, while it is open, how many preceded it. */
  size: number;
  isOpen: boolean;
  /** Whether some of the values in the node were not kept. */
  isPartial: boolean;
  /** The range of the node's values among those kept, and the length of its own path. */
  readonly from: number;
  to: number;
  readonly pathLength: number;
}

/**
 * The anchored nodes of a YAML document. It repeats their scalars for aliases, and counts the scalars that
 * the aliases yield when each is expanded: a few lines of nested aliases can yield more than fits into
 * memory.
 */
export class YamlAnchors {
  readonly #anchors = new Map<string, Anchor>();
  readonly #maxRepeated: number;
  #kept: KeptValue[] = [];
  #room = MAX_KEPT;
  #roomForNamed = MAX_NAMED;
  #repeated = 0;
  #open = 0;
  #count = 0;
  #expanded = 0;
  /** How many anchors were dropped. */
  #dropped = 0;

  /** @param length The length of the text. */
  constructor(length: number) {
    this.#maxRepeated = Math.min(MAX_REPEATED, MIN_REPEATED + length * REPEATED_PER_CHARACTER);
  }

  /** Forgets the anchors of a document, but not the expansion of its aliases. */
  reset(): void {
    this.#anchors.clear();
    this.#kept = [];
    this.#room = MAX_KEPT;
    this.#roomForNamed = MAX_NAMED;
    this.#open = 0;
    this.#dropped = 0;
  }

  /** An anchored collection begins. */
  open(name: string, pathLength: number): Anchor {
    const anchor = this.#add(name, { isOpen: true, size: this.#count, pathLength });
    this.#open++;
    return anchor;
  }

  close(anchor: Anchor): void {
    if (!anchor.isOpen) return;
    this.#open = Math.max(this.#open - 1, 0);
    anchor.isOpen = false;
    anchor.size = Math.max(this.#count - anchor.size, 1);
    anchor.to = this.#kept.length;
    anchor.isPartial ||= this.#room <= 0;
  }

  /** Names a scalar; undefined is an empty one. */
  name(name: string, scalar: NamedScalar | undefined): void {
    this.#roomForNamed -= scalar?.text.length ?? 0;
    const isPartial = this.#roomForNamed <= 0;
    this.#add(name, { size: 1, isPartial, ...!isPartial && scalar !== undefined && { scalar } });
  }

  /** Counts a scalar, and keeps it if a collection around it is anchored. */
  scalar(path: readonly string[], value: Value): void {
    this.#count++;
    this.keep(path, value);
  }

  /** Keeps a scalar that an alias repeats, if a collection around the alias is anchored. */
  keep(path: readonly string[], value: Value): void {
    if (this.#open === 0) return;
    this.#room -= path.length + (typeof value === "string" ? value.length : 1);
    if (this.#room > 0) this.#kept.push({ path: [...path], value });
  }

  /**
   * The node that an alias repeats; undefined if there is none of that name. The expansion of an alias
   * inside its own node is endless.
   */
  alias(name: string): Anchor | undefined {
    const anchor = this.#anchors.get(name);
    const size = anchor?.isOpen ? MAX_SCALARS : anchor?.size ?? 1;
    this.#expanded = Math.min(this.#expanded + size, MAX_SCALARS);
    this.#count += size;
    this.#repeated += 1 + (anchor?.scalar?.text.length ?? 0);
    return anchor;
  }

  /** Whether an alias of the node, or of an unknown one, does not repeat all of it. */
  isCut(anchor: Anchor | undefined): boolean {
    return anchor === undefined ? this.#dropped > 0 : anchor.isPartial || this.#isExhausted;
  }

  /** The values of a collection, with their paths in it. */
  *valuesOf({ isOpen, from, to, pathLength }: Anchor): Generator<KeptValue, void, void> {
    if (isOpen) return;
    for (let index = from; index < to && !this.#isExhausted; index++) {
      const kept = this.#kept[index];
      if (kept === undefined) return;
      this.#repeated += 1 + kept.path.length +
        (typeof kept.value === "string" ? kept.value.length : 0);
      yield { path: kept.path.slice(pathLength), value: kept.value };
    }
  }

  /** The number of expanded scalars; nothing for a text without aliases. */
  *events(): Generator<YamlAliases, void, void> {
    if (this.#expanded === 0) return;
    yield { kind: "aliases", expandedScalars: this.#expanded, position: 0 };
  }

  get #isExhausted(): boolean {
    return this.#repeated > this.#maxRepeated;
  }

  #add(name: string, node: Partial<Anchor>): Anchor {
    const at = this.#kept.length;
    const anchor = {
      size: 0,
      isOpen: false,
      isPartial: false,
      from: at,
      to: at,
      pathLength: 0,
      ...node,
    };
    if (this.#anchors.size < MAX_ANCHORS || this.#anchors.has(name)) {
      this.#anchors.set(name, anchor);
    } else this.#dropped++;
    return anchor;
  }
}
