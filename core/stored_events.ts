import type { EventEntry, StoredEntries } from "./event_channel.ts";

/** Events of one operation, in order, that are kept outside of the memory of the process. */
export interface StoredEvents<Event> extends Disposable {
  readonly length: number;
  /** The space that they take. */
  readonly bytes: number;
  /** How many each user has. */
  readonly owners: ReadonlyMap<number, number>;
  /** Some of the events from a position on: none at the end only. */
  from(position: number): Promise<readonly Event[]>;
  /** The events of one user, which are disposed of on their own. */
  ownedBy(userId: number): StoredEvents<Event>;
  /** The same events, which are disposed of on their own. */
  share(): StoredEvents<Event>;
}

/** Entries read at once, as all streams that have kept up need the same ones at about the same time. */
interface Part {
  readonly position: number;
  readonly entries: Promise<readonly EventEntry[]>;
}

/** What subscribers receive of stored events. Holds what was read last. */
export class EntriesOfStored<Event> implements StoredEntries {
  readonly #events: StoredEvents<Event>;
  readonly #entryOf: (event: Event) => EventEntry;
  #last: Part | undefined;
  #isDisposed = false;

  /** @param events Disposed of with this. */
  constructor(events: StoredEvents<Event>, entryOf: (event: Event) => EventEntry) {
    this.#events = events;
    this.#entryOf = entryOf;
  }

  get length(): number {
    return this.#events.length;
  }

  get bytes(): number {
    return this.#events.bytes;
  }

  get owners(): ReadonlyMap<number, number> {
    return this.#events.owners;
  }

  async from(position: number): Promise<readonly EventEntry[]> {
    for (let last = this.#last; last !== undefined && last.position <= position;) {
      const entries = await last.entries;
      const skipped = position - last.position;
      if (skipped < entries.length) return skipped === 0 ? entries : entries.slice(skipped);
      // Another stream may have read on meanwhile.
      if (last === this.#last) break;
      last = this.#last;
    }
    const part = { position, entries: this.#read(position) };
    this.#last = part;
    try {
      return await part.entries;
    } catch (error) {
      // The next one tries again.
      if (this.#last === part) this.#last = undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#last = undefined;
    this.#events[Symbol.dispose]();
  }

  /** Reads nothing once this is disposed of. What has begun before is read to its end. */
  async #read(position: number): Promise<readonly EventEntry[]> {
    if (this.#isDisposed) return [];
    using events = this.#events.share();
    return (await events.from(position)).map(this.#entryOf);
  }
}
