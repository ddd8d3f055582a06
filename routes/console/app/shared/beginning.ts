/** The route of the stream of events. */
export const EVENTS_PATH = "/events/";
/** The header by which a reply is asked for the last event whose change it has for certain, and names it. */
export const EVENT_HEADER = "X-Strongroom-Event";

/**
 * The time until events arrive. A change after a page has read something, and before the stream of events begins, is
 * in neither. Ids of events say whether there was one.
 */
export class Beginning {
  readonly #onGap: () => void;
  /** The event that the stream begins after. */
  #start: string | undefined;
  /** The oldest event that what was read goes up to. */
  #oldest: string | undefined;

  /** @param onGap Called when something has been read that lacks changes. */
  constructor(onGap: () => void) {
    this.#onGap = onGap;
  }

  /** Whether events arrive. */
  get isOver(): boolean {
    return this.#start !== undefined;
  }

  /** The stream begins after an event. */
  end(start: string): void {
    this.#start = start;
    if (this.#oldest !== undefined && isOlder(this.#oldest, start)) this.#onGap();
  }

  /** What was read has all changes up to that of an event. */
  hasRead(last: string): void {
    if (this.#start !== undefined) {
      if (isOlder(last, this.#start)) this.#onGap();
    } else if (this.#oldest === undefined || isOlder(last, this.#oldest)) this.#oldest = last;
  }
}

/** The beginning of the stream of the tree that is shown. */
let current: Beginning | undefined;

/** Begins to follow a tree. What was read in another one does not count any more. */
export function begin(onGap: () => void): Beginning {
  return current = new Beginning(onGap);
}

/** What wants to know of what is read now. Undefined once events arrive. */
export function ongoing(): Beginning | undefined {
  return current?.isOver === false ? current : undefined;
}

/** Whether an event was before another one. Those of different epochs, as after a restart, cannot be compared. */
function isOlder(id: string, other: string): boolean {
  const [epoch, sequence] = id.split("-");
  const [otherEpoch, otherSequence] = other.split("-");
  return epoch !== otherEpoch || Number(sequence) < Number(otherSequence);
}
