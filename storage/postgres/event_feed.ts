import type { Database } from "./database.ts";
import { type EventPage, type EventPosition, readPage, readPosition } from "./event_pages.ts";
import { Wakes } from "./event_notices.ts";

/** How many pages are kept for the subscribers of an owner. */
const MAX_PAGES = 4;
/** How long subscribers share what was read without finding an event. Notices end that at once. */
const SHARED_MS = 500;

interface KeptPage {
  readonly page: Promise<EventPage>;
  readonly wakes: number;
  readonly readAt: number;
  /** The epoch of the events that it has, which never change; undefined without any. */
  epoch: string | undefined;
}

/** Reads the events of an owner for all of its subscribers at this server: mostly once for all. */
export class EventFeed {
  readonly #database: Database;
  readonly #owner: number;
  /** Those read last, by the sequence number from which on. */
  readonly #pages = new Map<number, KeptPage>();
  readonly wakes = new Wakes();
  subscribers = 0;

  constructor(database: Database, owner: number) {
    this.#database = database;
    this.#owner = owner;
  }

  /** {@link readPosition} */
  async position(): Promise<EventPosition> {
    const position = await readPosition(this.#database, this.#owner);
    for (const [next, { epoch }] of this.#pages) {
      // It was read before the events came, and their notice has yet to come; or from another database.
      const isOld = epoch === undefined ? next < position.end : epoch !== position.epoch;
      if (isOld) this.#pages.delete(next);
    }
    return position;
  }

  /** {@link readPage} */
  async read(next: number): Promise<EventPage> {
    const known = this.#pages.get(next);
    if (known !== undefined && this.#isCurrent(known)) return await known.page;
    const page = readPage(this.#database, this.#owner, next);
    const readAt = performance.now();
    const kept: KeptPage = { page, wakes: this.wakes.count, readAt, epoch: undefined };
    this.#pages.delete(next);
    this.#pages.set(next, kept);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size > MAX_PAGES) this.#pages.delete(oldest);
    }
    try {
      const { texts, epoch } = await page;
      if (texts.length > 0) kept.epoch = epoch;
    } catch {
      if (this.#pages.get(next) === kept) this.#pages.delete(next);
    }
    return await page;
  }

  #isCurrent({ wakes, readAt, epoch }: KeptPage): boolean {
    if (epoch !== undefined) return true;
    return wakes === this.wakes.count && performance.now() - readAt < SHARED_MS;
  }
}
