import { MIB } from "../schemas/units.ts";
import {
  type DeliveredEvent,
  type Entries,
  EventChannel,
  type EventEntry,
} from "./event_channel.ts";
import { EntriesOfStored, type StoredEvents } from "./stored_events.ts";

/** Receives the events of operations. */
export interface EventSink<Event> {
  /** Appends events and wakes the subscribers. Stored events are shared, and stay those of the caller. */
  publish(events: readonly Event[] | StoredEvents<Event>): void;
  /**
   * What a write transaction keeps of its events, see `WriteOptions.events`. Left out if events are kept in
   * memory: then they are published after the commit. Stored events are shared.
   */
  readonly entriesOf?: (events: readonly Event[] | StoredEvents<Event>) => Entries;
}

/** The events of a server, and those who receive them. */
export interface Events<Event> extends EventSink<Event> {
  /** How many events there have been. */
  readonly published: number;
  /** How many subscriptions there are. */
  readonly subscribers: number;
  /**
   * The id of the latest event of a user. Reads that begin afterwards see its change, so a subscriber that continues
   * from this id misses nothing.
   */
  position(owner: number): Promise<string>;
  /** Ends every subscription, now and from now on. */
  close(): void;
  /** Yields batches until the signal aborts, {@link close} is called or the subscriber falls behind. */
  subscribe(options: SubscribeOptions): AsyncGenerator<EventBatch>;
}

/** What {@link Events.subscribe} yields. */
export type EventBatch =
  /** The events after the requested id are no longer kept: the subscriber must list again (C 11). */
  | { readonly kind: "reset"; readonly id: string }
  /** Events in order, possibly none, and the id to resume after. */
  | { readonly kind: "events"; readonly events: readonly DeliveredEvent[]; readonly id: string };

/** Options of {@link Events.subscribe}. */
export interface SubscribeOptions {
  /** Whose events to receive. @default those of all users */
  readonly owner?: number | undefined;
  /** The id of the last event that the subscriber has seen. @default the latest event */
  readonly after?: string | undefined;
  /** The time without events after which an empty batch is yielded. */
  readonly idleMs: number;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/** How much is kept for replay. */
export interface ReplayLimits {
  /** The number of events of one user, and of all users. @default 10000 */
  readonly maxEvents?: number;
  /** Their bytes. @default 4 MiB */
  readonly maxBytes?: number;
  /** The bytes of one publication, and of the events of all users together. @default 64 MiB */
  readonly maxTotalBytes?: number;
}

/** What a channel takes without events. */
const CHANNEL_BYTES = 1024;

/**
 * The events of this process, in commit order, with bounded buffers for replay (C 11).
 *
 * Each user has a channel, and all users together have one. Subscribers share the buffer of a channel;
 * each has a position in it and no queue of its own. A subscriber that is too slow loses its position
 * and is disconnected. When it reconnects, it gets a `reset`.
 */
export class EventBus<Event> implements Events<Event> {
  readonly #entryOf: (event: Event) => EventEntry;
  readonly #limits: Required<ReplayLimits>;
  readonly #everyone: EventChannel;
  /** The channels by user. The first one has been without events for the longest time. */
  readonly #channels = new Map<number, EventChannel>();
  /** What the channels of users take. */
  #bytes = 0;
  #closed = false;
  #published = 0;
  #subscribers = 0;

  /** @param entryOf Makes of an event what subscribers receive. */
  constructor(
    entryOf: (event: Event) => EventEntry,
    { maxEvents = 10_000, maxBytes = 4 * MIB, maxTotalBytes = 64 * MIB }: ReplayLimits = {},
  ) {
    this.#entryOf = entryOf;
    this.#limits = { maxEvents, maxBytes, maxTotalBytes };
    this.#everyone = this.#newChannel();
  }

  get published(): number {
    return this.#published;
  }

  get subscribers(): number {
    return this.#subscribers;
  }

  publish(events: readonly Event[] | StoredEvents<Event>): void {
    if (events.length === 0) return;
    this.#published += events.length;
    if ("owners" in events) {
      this.#everyone.publish(new EntriesOfStored(events.share(), this.#entryOf));
      for (const owner of events.owners.keys()) {
        this.#publish(owner, new EntriesOfStored(events.ownedBy(owner), this.#entryOf));
      }
    } else {
      const entries = events.map(this.#entryOf);
      this.#everyone.publish(entries);
      for (const [owner, own] of byOwner(entries)) this.#publish(owner, own);
    }
    this.#evict();
  }

  #publish(owner: number, entries: Entries): void {
    const channel = this.#channelOf(owner);
    this.#channels.delete(owner);
    this.#channels.set(owner, channel);
    const before = channel.bytes;
    channel.publish(entries);
    this.#bytes += channel.bytes - before;
  }

  position(owner: number): Promise<string> {
    const channel = this.#channelOf(owner);
    return Promise.resolve(channel.id(channel.end - 1));
  }

  close(): void {
    this.#closed = true;
    for (const channel of [this.#everyone, ...this.#channels.values()]) channel.wake();
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<EventBatch> {
    const { owner } = options;
    const channel = owner === undefined ? this.#everyone : this.#channelOf(owner);
    channel.subscribers++;
    this.#subscribers++;
    try {
      yield* this.#batches(channel, options);
    } finally {
      channel.subscribers--;
      this.#subscribers--;
    }
  }

  async *#batches(
    channel: EventChannel,
    { after, idleMs, signal }: SubscribeOptions,
  ): AsyncGenerator<EventBatch> {
    const found = after === undefined ? channel.end : channel.sequenceAfter(after);
    let next = found ?? channel.end;
    // Yield the position first, so that the subscriber can resume there before any event arrives.
    const id = channel.id(next - 1);
    yield found === undefined ? { kind: "reset", id } : { kind: "events", events: [], id };
    while (!this.#closed && !signal.aborted) {
      if (next === channel.end) await channel.published(idleMs, signal);
      if (next < channel.oldest) return;
      if (this.#closed || signal.aborted) return;
      const events = await channel.page(next);
      next += events.length;
      yield { kind: "events", events, id: channel.id(next - 1) };
    }
  }

  #newChannel(): EventChannel {
    const { maxEvents, maxBytes, maxTotalBytes } = this.#limits;
    return new EventChannel({ maxEvents, maxBytes, maxPublicationBytes: maxTotalBytes });
  }

  #channelOf(owner: number): EventChannel {
    const known = this.#channels.get(owner);
    if (known !== undefined) return known;
    const channel = this.#newChannel();
    this.#channels.set(owner, channel);
    this.#bytes += CHANNEL_BYTES;
    return channel;
  }

  /** Drops what is kept for the users who have been without events for the longest time. */
  #evict(): void {
    for (const [owner, channel] of this.#channels) {
      if (this.#bytes <= this.#limits.maxTotalBytes) return;
      this.#bytes -= channel.bytes;
      channel.clear();
      if (channel.subscribers > 0) continue;
      this.#channels.delete(owner);
      this.#bytes -= CHANNEL_BYTES;
    }
  }
}

/** Entries by owner. Those of an operation rarely have several owners, and may be very many. */
function byOwner(entries: readonly EventEntry[]): Iterable<[number, readonly EventEntry[]]> {
  const owner = entries[0]?.owner ?? 0;
  if (entries.every((entry) => entry.owner === owner)) return [[owner, entries]];
  return Map.groupBy(entries, (entry) => entry.owner);
}
