import type { Database, HeldSession } from "./database.ts";
import { EVERYONE } from "./event_places.ts";
import { noteRestore } from "./restored.ts";
import type { Session } from "./session.ts";

/** The channel of the engine that wakes subscribers at all servers. Payloads are owners. */
const NOTICES = "strongroom_events";

/** How long to wait before listening again after the connection broke, in milliseconds. */
const RETRY_MS = 1000;

/** How long a server waits before it sends again: all servers read what one sends. */
const INTERVAL_MS = 20;

/** How many owners a payload names. It may have 8000 bytes. */
const MAX_NAMED = 400;

/** The wake-ups of the subscribers of one owner. */
export class Wakes {
  readonly #waiting = new Set<() => void>();
  /** How many there have been. */
  count = 0;

  wake(): void {
    this.count++;
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when there have been more wake-ups than `seen`, after some time, or when the signal aborts. */
  after(seen: number, idleMs: number, signal: AbortSignal): Promise<void> {
    if (this.count > seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, idleMs);
      signal.addEventListener("abort", end);
      this.#waiting.add(end);
    });
  }
}

/**
 * Tells all servers whose events there are, and wakes the subscribers of this one. It listens over one
 * connection, and says so over others. While that is broken, notices are missed: then all are woken once it
 * is there again. Subscribers also look by themselves from time to time.
 *
 * Nothing is sent in the transaction that adds events: the engine lets commits that notify sync one after
 * the other.
 */
export class EventNotices implements AsyncDisposable {
  readonly #database: Database;
  readonly #wakes: (owner: number) => Wakes | undefined;
  readonly #all: () => Iterable<Wakes>;
  readonly #end = new AbortController();
  readonly #listening: Promise<void>;
  /** Owners whose new events this server has not announced yet. */
  readonly #changed = new Set<number>();
  #sending: Promise<void> | undefined;

  /**
   * @param wakes The wake-ups of the subscribers of an owner; undefined without subscribers.
   * @param all Those of all subscribers.
   */
  constructor(
    database: Database,
    wakes: (owner: number) => Wakes | undefined,
    all: () => Iterable<Wakes>,
  ) {
    this.#database = database;
    this.#wakes = wakes;
    this.#all = all;
    this.#listening = this.#listen();
  }

  /** Notes that events of some owners were committed. They are sent soon, with those of others. */
  changed(owners: Iterable<number>): void {
    for (const owner of owners) this.#changed.add(owner);
    this.#sending ??= this.#send().finally(() => this.#sending = undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#sending;
    await this.#listening;
  }

  async #send(): Promise<void> {
    while (this.#changed.size > 0) {
      const owners = [...this.#changed].slice(0, MAX_NAMED);
      for (const owner of owners) this.#changed.delete(owner);
      try {
        await this.#database.use("reads", (session) => notify(session, owners));
      } catch {
        // Subscribers find the events when they look by themselves.
      }
      await waitFor(this.#end.signal, INTERVAL_MS);
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        await using held = await this.#database.connect("session");
        await this.#receive(held);
      } catch {
        // The engine is away: subscribers notice that by themselves.
      }
      await waitFor(signal, RETRY_MS);
    }
  }

  /** Receives notices until the connection breaks, or the end. */
  async #receive({ session }: HeldSession): Promise<void> {
    const broken = session.listen(NOTICES, (payload) => {
      for (const owner of [EVERYONE, ...payload.split(",").map(Number)]) this.#wakes(owner)?.wake();
    });
    await session.script(`LISTEN ${NOTICES}`);
    // The connection breaks when another engine takes over, which may lack what this one had last.
    await noteRestore(this.#database);
    for (const wakes of this.#all()) wakes.wake();
    await Promise.race([broken, waitFor(this.#end.signal)]);
  }
}

/** Nothing is lost that subscribers would not find, so the commit need not be durable. */
async function notify(session: Session, owners: readonly number[]): Promise<void> {
  await session.script(
    `BEGIN; SET LOCAL synchronous_commit = off; NOTIFY ${NOTICES}, '${owners.join(",")}'; COMMIT`,
  );
}

/** Resolves when the signal aborts, or after some time. */
export function waitFor(signal: AbortSignal, ms?: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
