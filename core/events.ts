/** Receives the events of operations. */
export interface EventSink<Event> {
  /** Appends events and wakes the subscribers. */
  publish(events: readonly Event[]): void;
}

/** What {@link EventBus.subscribe} yields. */
export type EventBatch<Event> =
  /** The events after the requested id are no longer kept: the subscriber must list again (C 11). */
  | { readonly kind: "reset"; readonly id: string }
  /** Events in order, possibly none, and the id to resume after. */
  | { readonly kind: "events"; readonly events: readonly Identified<Event>[]; readonly id: string };

/** An event with its id, `<epoch>-<sequence>` (C 11). */
export type Identified<Event> = Event & { readonly id: string };

/** Options of {@link EventBus.subscribe}. */
export interface SubscribeOptions<Event> {
  /** The id of the last event that the subscriber has seen. @default the latest event */
  readonly after?: string | undefined;
  /** Whether the subscriber receives an event. */
  readonly accepts: (event: Event) => boolean;
  /** The time without events after which an empty batch is yielded. */
  readonly idleMs: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** Options of {@link EventBus}. */
export interface EventBusOptions {
  /** The number of events to keep for replay. @default 10000 */
  readonly maxEvents?: number;
  /** Distinguishes this bus from those before a restart. @default the time of creation in base 36 */
  readonly epoch?: string;
}

/** The most events in one batch. */
const MAX_BATCH_EVENTS = 256;

/**
 * The events of this process, in commit order, with a bounded buffer for replay (C 11).
 *
 * Subscribers share the buffer; each has a position in it and no queue of its own. A subscriber that
 * is too slow loses its position and is disconnected. When it reconnects, it gets a `reset`.
 */
export class EventBus<Event extends object> implements EventSink<Event> {
  readonly #maxEvents: number;
  readonly #epoch: string;
  /** The buffer. The event at index i has the sequence number `#first + i`. */
  #events: Event[] = [];
  #first = 1;
  /** The oldest sequence number that can be replayed: a publication is replayed as a whole. */
  #oldest = 1;
  /** The first sequence numbers of the publications after `#oldest`. */
  #publications: number[] = [];
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(options: EventBusOptions = {}) {
    this.#maxEvents = options.maxEvents ?? 10_000;
    this.#epoch = options.epoch ?? Date.now().toString(36);
  }

  /** Appends events and wakes the subscribers. */
  publish(events: readonly Event[]): void {
    if (events.length === 0) return;
    this.#publications.push(this.#end);
    for (const event of events) this.#events.push(event);
    this.#evict();
    this.#wake();
  }

  /** Ends every subscription, now and from now on. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Yields batches until the signal aborts, the bus closes or the subscriber falls behind. */
  async *subscribe(options: SubscribeOptions<Event>): AsyncGenerator<EventBatch<Event>> {
    const { accepts, idleMs, signal } = options;
    let next = this.#sequenceAfter(options.after);
    if (next === undefined) {
      next = this.#end;
      yield { kind: "reset", id: this.#id(next - 1) };
    } else {
      // Yield the position first, so that the subscriber can resume there before any event arrives.
      yield { kind: "events", events: [], id: this.#id(next - 1) };
    }
    let yieldedAt = performance.now();
    while (!this.#closed && !signal.aborted) {
      const idle = performance.now() - yieldedAt;
      if (next === this.#end && idle < idleMs) await this.#published(idleMs - idle, signal);
      if (next < this.#oldest) return;
      const events: Identified<Event>[] = [];
      for (; next < this.#end && events.length < MAX_BATCH_EVENTS; next++) {
        const event = this.#events[next - this.#first];
        if (event !== undefined && accepts(event)) events.push({ ...event, id: this.#id(next) });
      }
      // Events that are not accepted advance the position, but do not keep the connection alive.
      if (events.length === 0 && performance.now() - yieldedAt < idleMs) continue;
      yield { kind: "events", events, id: this.#id(next - 1) };
      yieldedAt = performance.now();
    }
  }

  /** The sequence number of the next event. */
  get #end(): number {
    return this.#first + this.#events.length;
  }

  #id(sequence: number): string {
    return `${this.#epoch}-${sequence}`;
  }

  /** The sequence number after an id, or undefined if it cannot be replayed from there. */
  #sequenceAfter(id: string | undefined): number | undefined {
    if (id === undefined) return this.#end;
    const sequence = id.startsWith(`${this.#epoch}-`) ? id.slice(this.#epoch.length + 1) : "";
    if (!/^\d{1,15}$/.test(sequence)) return undefined;
    const next = Number(sequence) + 1;
    return next >= this.#oldest && next <= this.#end ? next : undefined;
  }

  /** Resolves at the next publication, when the signal aborts, or after `idleMs`. */
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
   * Drops publications followed by `#maxEvents` events or more. A publication larger than that still
   * reaches every subscriber that has kept up.
   */
  #evict(): void {
    const kept = this.#publications.findIndex((start) => start > this.#end - this.#maxEvents);
    const dropped = kept === -1 ? this.#publications.length - 1 : kept - 1;
    if (dropped >= 0) {
      this.#oldest = Math.max(this.#oldest, this.#publications[dropped] ?? this.#oldest);
      this.#publications.splice(0, dropped);
    }
    // Trimming in large steps moves each event once, not the whole buffer on each publication.
    const surplus = this.#oldest - this.#first;
    if (surplus < this.#maxEvents) return;
    this.#events = this.#events.slice(surplus);
    this.#first = this.#oldest;
  }
}
