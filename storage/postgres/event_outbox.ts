import type { EventEntry } from "../../core/event_channel.ts";
import { asError, type Log } from "../../core/log.ts";
import { MIB } from "../../schemas/units.ts";
import { waitFor } from "./event_notices.ts";

/** What waits while the engine is away, at most. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 16 * MIB;
/** How long to wait after a failure. */
const RETRY_MS = 1000;

export interface OutboxOptions {
  /** Appends events in a transaction of its own. */
  readonly append: (entries: readonly EventEntry[]) => Promise<void>;
  readonly log: Log;
}

/** Events that no transaction of their own change appends: those of scans. They are appended in order. */
export class EventOutbox implements AsyncDisposable {
  readonly #options: OutboxOptions;
  readonly #end = new AbortController();
  #waiting: EventEntry[] = [];
  #bytes = 0;
  #lost = 0;
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Appends events soon, with others that come until then. */
  add(entries: readonly EventEntry[]): void {
    if (this.#waiting.length >= MAX_WAITING || this.#bytes >= MAX_WAITING_BYTES) {
      this.#lost += entries.length;
      return;
    }
    for (const entry of entries) {
      this.#waiting.push(entry);
      this.#bytes += entry.bytes;
    }
    this.#sending ??= this.#send().finally(() => this.#sending = undefined);
  }

  /** Appends what waits, unless the engine is away. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { append, log } = this.#options;
    const { signal } = this.#end;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      this.#bytes = 0;
      try {
        await append(entries);
        if (this.#lost > 0) log.error("Events were lost", { count: this.#lost });
        this.#lost = 0;
      } catch (error) {
        log.error("Cannot publish events", { count: entries.length, error: asError(error) });
        if (signal.aborted) return;
        this.#waiting.unshift(...entries);
        this.#bytes += entries.reduce((sum, { bytes }) => sum + bytes, 0);
        await waitFor(signal, RETRY_MS);
      }
    }
  }
}
