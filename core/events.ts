/** Where an operation publishes what it changed. */
export interface EventSink<Event> {
  /** Appends events and wakes the subscribers. */
  publish(events: readonly Event[]): void;
}

/** What a subscription yields. */
export type EventBatch<Event> =
  /** The place asked for is not held: the subscriber has to list again (C 11). */
  | { readonly kind: "reset"; readonly id: string }
  /** Events in order, possibly none, and the place behind the last of them. */
  | { readonly kind: "events"; readonly events: readonly Identified<Event>[]; readonly id: string };

/** An event with its id, `<epoch>-<sequence>` (C 11). */
export type Identified<Event> = Event & { readonly id: string };

export interface SubscribeOptions<Event> {
  /** The id of the last event that the subscriber saw; left out, it hears what comes from now on. */
  readonly after?: string | undefined;
  readonly accepts: (event: Event) => boolean;
  /** After so many milliseconds without an event an empty batch is yielded. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

export interface EventBusOptions {
  /** How many events are held for replay. @default 10000 */
  readonly capacity?: number;
  /** Tells this bus from one before a restart. @default the time of its making, in base 36 */
  readonly epoch?: string;
}

/**
 * The events of this process, in commit order, with a bounded buffer for replay (C 11).
 *
 * The buffer is shared: a subscriber is a place in it and holds no queue of its own. One that falls
 * out at the old end is too slow and is cut off; when it comes back it is told to list again.
 */
export class EventBus<Event extends object> implements EventSink<Event> {
  readonly #capacity: number;
  readonly #epoch: string;
  /** The held events; the one at index i has the sequence `#first + i`. */
  #held: Event[] = [];
  #first = 1;
  /** The oldest sequence that counts as held: a publication is held whole, or not at all. */
  #oldest = 1;
  /** Where the publications behind the oldest one begin. */
  #publications: number[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(options: EventBusOptions = {}) {
    this.#capacity = options.capacity ?? 10_000;
    this.#epoch = options.epoch ?? Date.now().toString(36);
  }

  /** Adds events behind all others and wakes the subscribers. */
  publish(events: readonly Event[]): void {
    if (events.length === 0) return;
    this.#publications.push(this.#end);
    for (const event of events) this.#held.push(event);
    this.#forget();
    this.#wake();
  }

  /** Ends every subscription; later ones end at once. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Yields batches until the signal aborts, the bus closes or the subscriber has fallen behind. */
  async *subscribe(options: SubscribeOptions<Event>): AsyncGenerator<EventBatch<Event>> {
    const { accepts, idleMs, signal } = options;
    let next = this.#placeAfter(options.after);
    if (next === undefined) {
      next = this.#end;
      yield { kind: "reset", id: this.#id(next - 1) };
    } else {
      // Tells the subscriber its place before anything happens, so that it can come back to it.
      yield { kind: "events", events: [], id: this.#id(next - 1) };
    }
    let told = performance.now();
    while (!this.#closed && !signal.aborted) {
      const idle = performance.now() - told;
      if (next === this.#end && idle < idleMs) await this.#published(idleMs - idle, signal);
      if (next < this.#oldest) return;
      const events: Identified<Event>[] = [];
      for (; next < this.#end && events.length < 256; next++) {
        const event = this.#held[next - this.#first];
        if (event !== undefined && accepts(event)) events.push({ ...event, id: this.#id(next) });
      }
      // Those of others do not keep its connection awake, but they move its place on.
      if (events.length === 0 && performance.now() - told < idleMs) continue;
      yield { kind: "events", events, id: this.#id(next - 1) };
      told = performance.now();
    }
  }

  /** The sequence of the next event to come. */
  get #end(): number {
    return this.#first + this.#held.length;
  }

  #id(sequence: number): string {
    return `${this.#epoch}-${sequence}`;
  }

  /** The sequence behind the given id, or undefined where that place is not held. */
  #placeAfter(id: string | undefined): number | undefined {
    if (id === undefined) return this.#end;
    const sequence = id.startsWith(`${this.#epoch}-`) ? id.slice(this.#epoch.length + 1) : "";
    if (!/^\d{1,15}$/.test(sequence)) return undefined;
    const next = Number(sequence) + 1;
    return next >= this.#oldest && next <= this.#end ? next : undefined;
  }

  /** Waits for a publication, for the signal or for so long. */
  #published(idleMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, idleMs);
      signal.addEventListener("abort", wake);
      this.#waiting.add(wake);
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /**
   * Lets go of the publications behind which there are as many events as are to be held: one that is
   * larger than that by itself still reaches everybody who has kept up.
   */
  #forget(): void {
    const kept = this.#publications.findIndex((start) => start > this.#end - this.#capacity);
    const gone = kept === -1 ? this.#publications.length - 1 : kept - 1;
    if (gone >= 0) {
      this.#oldest = Math.max(this.#oldest, this.#publications[gone] ?? this.#oldest);
      this.#publications.splice(0, gone);
    }
    // At so many at a time each event is moved once, and not the whole buffer a publication.
    const surplus = this.#oldest - this.#first;
    if (surplus < this.#capacity) return;
    this.#held = this.#held.slice(surplus);
    this.#first = this.#oldest;
  }
}
