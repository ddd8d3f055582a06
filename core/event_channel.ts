import { KIB } from "../schemas/units.ts";

/** An event as channels hold it. */
export interface EventEntry {
  /** The user who receives it. */
  readonly owner: number;
  /** An estimate of the memory that it takes, in bytes. */
  readonly bytes: number;
  /** What subscribers receive. */
  readonly text: string;
}

/** An event as it is delivered. */
export interface DeliveredEvent {
  /** `<epoch>-<sequence>` (C 11). */
  readonly id: string;
  readonly text: string;
}

/** Events of one operation that are kept outside of the memory of the process. */
export interface StoredEntries extends Disposable {
  readonly length: number;
  /** The space that they take. */
  readonly bytes: number;
  /** How many each user has. */
  readonly owners: ReadonlyMap<number, number>;
  /** Some of the events from a position on: none at the end only. */
  from(position: number): Promise<readonly EventEntry[]>;
}

export type Entries = readonly EventEntry[] | StoredEntries;

/** The events of one operation. */
interface Publication {
  /** The sequence number of the first event. */
  readonly start: number;
  readonly entries: Entries;
  readonly bytes: number;
}

/** Stands for a publication that was dropped. */
const DROPPED: Publication = { start: 0, entries: [], bytes: 0 };

/** What a channel holds for replay. */
export interface ChannelLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** How large one publication may be for those who are subscribed to receive it. */
  readonly maxPublicationBytes: number;
}

/** How many events a page has at most. */
const MAX_PAGE_EVENTS = 256;
/** Once a page has this many bytes, it ends. */
const MAX_PAGE_BYTES = 64 * KIB;

/**
 * A sequence of events that several subscribers read, each at a position of its own. Sequence numbers
 * count the events of this channel only, and its epoch is random, so ids tell nothing about others.
 * See docs/design/events.md.
 */
export class EventChannel {
  readonly #limits: ChannelLimits;
  readonly #epoch = randomEpoch();
  #publications: Publication[] = [];
  /** How many publications at the start of the list were dropped. */
  #dropped = 0;
  readonly #waiting = new Set<() => void>();
  #end = 1;
  #bytes = 0;
  /** How many subscriptions there are. */
  subscribers = 0;

  constructor(limits: ChannelLimits) {
    this.#limits = limits;
  }

  /** The sequence number of the next event. */
  get end(): number {
    return this.#end;
  }

  /** The oldest sequence number that can be read. */
  get oldest(): number {
    return this.#publications[this.#dropped]?.start ?? this.#end;
  }

  /** An estimate of the memory of the events that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends the events of one operation and wakes the subscribers. */
  publish(entries: Entries): void {
    const bytes = "bytes" in entries
      ? entries.bytes
      : entries.reduce((sum, entry) => sum + entry.bytes, 0);
    this.#publications.push({ start: this.#end, entries, bytes });
    this.#end += entries.length;
    this.#bytes += bytes;
    this.#evict();
    this.wake();
  }

  /** Drops all events. */
  clear(): void {
    for (const publication of this.#publications) forget(publication);
    this.#publications = [];
    this.#dropped = 0;
    this.#bytes = 0;
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** The events from a position on that fit in a page. Stored ones may be fewer than that. */
  async page(from: number): Promise<DeliveredEvent[]> {
    const page = new Page();
    let at = this.#publications.findLastIndex(({ start }) => start <= from);
    for (; at < this.#publications.length; at++) {
      const { start, entries } = this.#publications[at] ?? { start: 0, entries: [] };
      const first = Math.max(0, from - start);
      if ("bytes" in entries) {
        if (page.events.length > 0) break;
        return this.#fill(page, await entries.from(first), { start: start + first }).events;
      }
      if (this.#fill(page, entries, { start, first }).isFull) break;
    }
    return page.events;
  }

  #fill(
    page: Page,
    entries: readonly EventEntry[],
    { start, first = 0 }: { start: number; first?: number },
  ): Page {
    for (let index = first; index < entries.length && !page.isFull; index++) {
      const entry = entries[index];
      if (entry !== undefined) page.add(this.id(start + index), entry);
    }
    return page;
  }

  id(sequence: number): string {
    return `${this.#epoch}-${sequence}`;
  }

  /** The sequence number after an id, or undefined if it cannot be read from there. */
  sequenceAfter(id: string): number | undefined {
    const sequence = id.startsWith(`${this.#epoch}-`) ? id.slice(this.#epoch.length + 1) : "";
    if (!/^\d{1,15}$/.test(sequence)) return undefined;
    const next = Number(sequence) + 1;
    return next >= this.oldest && next <= this.#end ? next : undefined;
  }

  /** Resolves at the next publication, when the signal aborts, or after `idleMs`. */
  published(idleMs: number, signal: AbortSignal): Promise<void> {
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

  /**
   * Drops publications that enough events or bytes follow. A publication is held as a whole, so that
   * one larger than that still reaches every subscriber that has kept up, unless it is far larger.
   */
  #evict(): void {
    const { maxEvents, maxBytes, maxPublicationBytes } = this.#limits;
    const isDue = ({ start, entries, bytes }: Publication) => {
      const next = start + entries.length;
      if (this.#end - next >= maxEvents || following - bytes >= maxBytes) return true;
      return bytes > (this.subscribers > 0 ? maxPublicationBytes : maxBytes);
    };
    let following = this.#bytes;
    for (; this.#dropped < this.#publications.length; this.#dropped++) {
      const publication = this.#publications[this.#dropped];
      if (publication === undefined || !isDue(publication)) break;
      following -= publication.bytes;
      forget(publication);
      this.#publications[this.#dropped] = DROPPED;
    }
    // Otherwise each publication would move all that follow the dropped one.
    if (this.#dropped > this.#publications.length / 2) {
      this.#publications = this.#publications.slice(this.#dropped);
      this.#dropped = 0;
    }
    this.#bytes = following;
  }
}

/** Events that are delivered at once. */
class Page {
  readonly events: DeliveredEvent[] = [];
  #bytes = 0;

  get isFull(): boolean {
    return this.events.length >= MAX_PAGE_EVENTS || this.#bytes >= MAX_PAGE_BYTES;
  }

  add(id: string, { text, bytes }: EventEntry): void {
    this.events.push({ id, text });
    this.#bytes += bytes;
  }
}

function forget({ entries }: Publication): void {
  if ("bytes" in entries) entries[Symbol.dispose]();
}

/** Differs from that of every other channel, also of those before a restart. */
function randomEpoch(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return high.toString(36) + low.toString(36);
}
