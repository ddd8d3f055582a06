/** The anchor and tag in front of a node. */
export interface Properties {
  readonly anchor: string | undefined;
  readonly hasTag: boolean;
}

/** The properties of a node that has none. */
export const NO_PROPERTIES: Properties = { anchor: undefined, hasTag: false };

/** The properties that were read and whose node is still to come. */
export class PendingProperties {
  readonly #onFault: (message: string) => void;
  #own = NO_PROPERTIES;
  #outer = NO_PROPERTIES;

  constructor(onFault: (message: string) => void) {
    this.#onFault = onFault;
  }

  /** Those since a key might last have begun. They belong to the next node. */
  get own(): Properties {
    return this.#own;
  }

  /** Those before. If the next node is the first key of a mapping, they belong to the mapping. */
  get outer(): Properties {
    return this.#outer;
  }

  /** Adds an anchor, or a tag. */
  add(anchor: string | undefined): void {
    const own = this.#own;
    if (anchor === undefined ? own.hasTag : own.anchor !== undefined) this.faultTwice();
    this.#own = { anchor: anchor ?? own.anchor, hasTag: own.hasTag || anchor === undefined };
  }

  /** A key may begin here. */
  keyMayBegin(): void {
    this.#outer = this.take();
  }

  /** Takes all of them for one node. */
  take(): Properties {
    const [own, outer] = [this.takeOwn(), this.#outer];
    this.#outer = NO_PROPERTIES;
    if (outer === NO_PROPERTIES) return own;
    if (own === NO_PROPERTIES) return outer;
    if (overlap(own, outer)) this.faultTwice();
    return { anchor: own.anchor ?? outer.anchor, hasTag: own.hasTag || outer.hasTag };
  }

  takeOwn(): Properties {
    const own = this.#own;
    this.#own = NO_PROPERTIES;
    return own;
  }

  /** Gives back what {@link takeOwn} took. */
  restoreOwn(own: Properties): void {
    this.#own = own;
  }

  faultTwice(): void {
    this.#onFault("A value has two tags or two anchors");
  }
}

/** Whether both have a tag, or both have an anchor. */
export function overlap(one: Properties, other: Properties): boolean {
  return one.hasTag && other.hasTag || one.anchor !== undefined && other.anchor !== undefined;
}
