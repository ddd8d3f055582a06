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

/** The events of one operation. */
interface Publication {
  /** The sequence number of the first event. */
  readonly start: number;
  readonly entries: readonly EventEntry[];
  readonly bytes: number;
}

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
 */
export class EventChannel {
  readonly #limits: ChannelLimits;
  readonly #epoch = randomEpoch();
  #publications: Publication[] = [];
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
    return this.#publications[0]?.start ?? this.#end;
  }

  /** An estimate of the memory of the events that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends the events of one operation and wakes the subscribers. */
  publish(entries: readonly EventEntry[]): void {
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    this.#publications.push({ start: this.#end, entries, bytes });
    this.#end += entries.length;
    this.#bytes += bytes;
    this.#evict();
    this.wake();
  }

  /** Drops all events. */
  clear(): void {
    this.#publications = [];
    this.#bytes = 0;
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** The events from a position on that fit in a page. */
  page(from: number): DeliveredEvent[] {
    const events: DeliveredEvent[] = [];
    let bytes = 0;
    let at = this.#publications.findLastIndex(({ start }) => start <= from);
    for (; at < this.#publications.length; at++) {
      const { start, entries } = this.#publications[at] ?? { start: 0, entries: [] };
      for (let index = Math.max(0, from - start); index < entries.length; index++) {
        const entry = entries[index];
        if (entry === undefined) continue;
        if (events.length === MAX_PAGE_EVENTS || bytes >= MAX_PAGE_BYTES) return events;
        events.push({ id: this.id(start + index), text: entry.text });
        bytes += entry.bytes;
      }
    }
    return events;
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
    let dropped = 0;
    for (const publication of this.#publications) {
      if (!isDue(publication)) break;
      following -= publication.bytes;
      dropped++;
    }
    this.#publications.splice(0, dropped);
    this.#bytes = following;
  }
}

/** Differs from that of every other channel, also of those before a restart. */
function randomEpoch(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return high.toString(36) + low.toString(36);
}
