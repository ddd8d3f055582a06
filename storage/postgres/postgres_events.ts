import type { Entries, EventEntry } from "../../core/event_channel.ts";
import type { EventBatch, Events, SubscribeOptions } from "../../core/events.ts";
import { asError, type Log } from "../../core/log.ts";
import { Periodic } from "../../core/periodic.ts";
import { EntriesOfStored, type StoredEvents } from "../../core/stored_events.ts";
import type { Database } from "./database.ts";
import { EventFeed } from "./event_feed.ts";
import { type Appended, forgetEvents, mayBeDue, removeDue } from "./event_log.ts";
import { EventNotices, waitFor } from "./event_notices.ts";
import { readPosition } from "./event_pages.ts";
import { EventOutbox } from "./event_outbox.ts";
import { EVERYONE, placeEvents } from "./event_places.ts";

/** How long events are kept. */
const KEPT_MS = 24 * 60 * 60_000;
/** How often old events are removed. */
const UPKEEP_INTERVAL_MS = 60_000;
/** How long to wait while the engine is away. */
const RETRY_MS = 1000;

/** What {@link PostgresEvents} works with. */
export interface PostgresEventsParts<Event> {
  readonly database: Database;
  /** Appends events in a transaction of its own. */
  readonly append: (entries: Entries) => Promise<void>;
  /** Makes of an event what subscribers receive. */
  readonly entryOf: (event: Event) => EventEntry;
  readonly log: Log;
}

/**
 * The events of all servers that share a database, in commit order, kept there for replay at any of them
 * (C 11, C 23). The transaction that changes something appends its events.
 */
export class PostgresEvents<Event> implements Events<Event>, AsyncDisposable {
  readonly #parts: PostgresEventsParts<Event>;
  readonly #feeds = new Map<number, EventFeed>();
  readonly #notices: EventNotices;
  readonly #outbox: EventOutbox;
  readonly #upkeep: Periodic;
  readonly #closed = new AbortController();
  #published = 0;
  #subscribers = 0;

  constructor(parts: PostgresEventsParts<Event>) {
    this.#parts = parts;
    const { database, append, log } = parts;
    const feeds = this.#feeds;
    this.#notices = new EventNotices(
      database,
      (owner) => feeds.get(owner)?.wakes,
      () => feeds.values().map(({ wakes }) => wakes),
    );
    this.#outbox = new EventOutbox({ append, log });
    this.#upkeep = new Periodic(() => this.#keepUp(), UPKEEP_INTERVAL_MS);
  }

  get published(): number {
    return this.#published;
  }

  get subscribers(): number {
    return this.#subscribers;
  }

  readonly entriesOf = (events: readonly Event[] | StoredEvents<Event>): Entries => {
    const { entryOf } = this.#parts;
    return "owners" in events ? new EntriesOfStored(events.share(), entryOf) : events.map(entryOf);
  };

  /** Appends events in a transaction of its own, which is not awaited. */
  publish(events: readonly Event[] | StoredEvents<Event>): void {
    if ("owners" in events) throw new Error("Events of a change belong to its transaction");
    this.#outbox.add(events.map(this.#parts.entryOf));
  }

  /** Wakes the subscribers of events that a transaction of this server has appended, at all servers. */
  readonly committed = (appended: readonly Appended[]): void => {
    if (appended.length === 0) return;
    for (const { count } of appended) this.#published += count;
    this.#notices.changed(appended.map(({ owner }) => owner));
    for (const it of appended.filter(mayBeDue)) void this.#removeDue(it);
  };

  async position(owner: number): Promise<string> {
    const { epoch, end } = await readPosition(this.#parts.database, owner);
    return `${epoch}-${end - 1}`;
  }

  close(): void {
    this.#closed.abort();
  }

  async *subscribe({ signal, ...options }: SubscribeOptions): AsyncGenerator<EventBatch> {
    const owner = options.owner ?? EVERYONE;
    const feed = this.#feeds.get(owner) ?? new EventFeed(this.#parts.database, owner);
    this.#feeds.set(owner, feed);
    feed.subscribers++;
    this.#subscribers++;
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    try {
      yield* batches(feed, { ...options, signal: ended });
    } finally {
      this.#subscribers--;
      if (--feed.subscribers === 0) this.#feeds.delete(owner);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#upkeep[Symbol.asyncDispose]();
    await this.#outbox[Symbol.asyncDispose]();
    await this.#notices[Symbol.asyncDispose]();
  }

  async #removeDue(appended: Appended): Promise<void> {
    try {
      await this.#parts.database.use("writes", (session) => removeDue(session, appended));
    } catch {
      // Later events make them due again.
    }
  }

  async #keepUp(): Promise<void> {
    const { database, log } = this.#parts;
    try {
      await placeEvents(database);
      while (await forgetEvents(database, KEPT_MS));
    } catch (error) {
      // The next time tries again.
      log.error("Cannot remove old events", { error: asError(error) });
    }
  }
}

/** Yields the events of a feed. While the engine is away, it waits: nothing is skipped. */
async function* batches(
  feed: EventFeed,
  { after, idleMs, signal }: SubscribeOptions,
): AsyncGenerator<EventBatch> {
  const start = await startOf(feed, after);
  const { epoch } = start;
  let { next } = start;
  yield { ...start.batch, id: `${epoch}-${next - 1}` };
  while (!signal.aborted) {
    // A commit from now on wakes it.
    const seen = feed.wakes.count;
    const page = await feed.read(next).catch(() => undefined);
    if (page === undefined) {
      await waitFor(signal, RETRY_MS);
      continue;
    }
    const { texts, end } = page;
    // Too slow: what comes next is not kept any more. With another epoch, the database is another one.
    if (page.epoch !== epoch || texts.length === 0 && next !== end) return;
    if (texts.length === 0) await feed.wakes.after(seen, idleMs, signal);
    if (signal.aborted) return;
    if (texts.length === 0 && feed.wakes.count > seen) continue;
    const events = texts.map((text, index) => ({ id: `${epoch}-${next + index}`, text }));
    next += events.length;
    yield { kind: "events", events, id: `${epoch}-${next - 1}` };
  }
}

/** Where a subscriber begins who has seen the event with an id last. */
async function startOf(feed: EventFeed, after: string | undefined) {
  const { epoch, end } = await feed.position();
  const latest = { epoch, next: end };
  if (after === undefined) return { ...latest, batch: { kind: "events", events: [] } as const };
  const sequence = after.startsWith(`${epoch}-`) ? after.slice(epoch.length + 1) : "";
  const next = /^\d{1,15}$/.test(sequence) ? Number(sequence) + 1 : 0;
  const isKept = next === end || next < end && (await feed.read(next)).texts.length > 0;
  return isKept
    ? { epoch, next, batch: { kind: "events", events: [] } as const }
    : { ...latest, batch: { kind: "reset" } as const };
}
