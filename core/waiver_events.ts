import type { EventSink } from "./events.ts";
import { asError, type Log } from "./log.ts";
import { Periodic } from "./periodic.ts";
import type { JudgedRecord, VerdictEvent, Verdicts, VerdictStore } from "./verdicts.ts";

/** How often to look for waivers that have expired. */
const EXPIRY_INTERVAL_MS = 10_000;

/** What {@link WaiverEvents} works with. */
export interface WaiverEventsParts {
  readonly store: VerdictStore;
  readonly verdicts: Verdicts;
  readonly events: EventSink<VerdictEvent>;
  readonly log: Log;
}

/**
 * Has those who see files know that a waiver of their content is new, was removed or has expired: by an event with
 * the verdict, which is as before, for each file.
 * See docs/design/gate.md.
 */
export class WaiverEvents implements AsyncDisposable {
  readonly #parts: WaiverEventsParts;
  readonly #expiry: Periodic;
  readonly #ended = new AbortController();
  /** Publications run one after the other. */
  #published: Promise<void> = Promise.resolve();
  /** Those who subscribe later see what had expired until then. */
  #expiredTo = Date.now();

  constructor(parts: WaiverEventsParts) {
    this.#parts = parts;
    this.#expiry = new Periodic(() => this.#expire(), EXPIRY_INTERVAL_MS);
  }

  /** Publishes the verdict of each file with the content. It is not awaited: there may be very many. */
  publish(sha256: string): void {
    this.#published = this.#published.then(() => this.#publish(sha256));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#expiry[Symbol.asyncDispose]();
    await this.#published;
  }

  async #publish(sha256: string): Promise<void> {
    const { store, verdicts, events, log } = this.#parts;
    try {
      let after: JudgedRecord | undefined;
      while (!this.#ended.signal.aborted) {
        const records = await store.recordsWith(sha256, after);
        const last = records.at(-1);
        if (last === undefined) return;
        const found = await verdicts.of(records);
        events.publish(records.map((record, index): VerdictEvent => {
          const content = found[index];
          if (content === undefined) throw new Error("No verdict was returned");
          return { type: "resource.verdict", record, verdict: content.verdict };
        }));
        after = last;
      }
    } catch (error) {
      // The waiver counts nevertheless.
      log.error("Cannot publish a waiver", { sha256, error: asError(error) });
    }
  }

  async #expire(): Promise<void> {
    const { store, log } = this.#parts;
    const now = Date.now();
    try {
      for (const sha256 of await store.expiredBetween(this.#expiredTo, now)) this.publish(sha256);
      this.#expiredTo = now;
    } catch (error) {
      // The next time looks from there.
      log.error("Cannot look for waivers that have expired", { error: asError(error) });
    }
  }
}
