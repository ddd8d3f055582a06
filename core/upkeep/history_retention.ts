import type { HistoryBounds, HistoryStore } from "../history.ts";
import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import { Semaphore } from "../semaphore.ts";
import type { SettledTime } from "../settled_time.ts";
import { removeUnreferenced, type SweptStores } from "../tree/sweeper.ts";
import { IdleRounds } from "./idle_rounds.ts";
import type { SharedUpkeep } from "./ports.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** How often history is given up, in seconds. */
const GIVE_UP_S = 60;

/** The disk that has the content. */
export interface DiskRoom {
  /** How many bytes are lacking before what is free is not near the reserve of free space. */
  readonly lackingNear: number;
  /** Whether so little is free that changes of records may find no room. */
  readonly isNearlyFull: boolean;
  /** Asked to make room before content is refused. */
  giveWay: ((lacking: () => number) => Promise<void>) | undefined;
}

/** What {@link HistoryRetention} works with. */
export interface HistoryRetentionOptions extends SweptStores {
  readonly history: HistoryStore;
  /** Where servers share the database. @default this one has its own */
  readonly shared?: SharedUpkeep | undefined;
  /** How long what a change has taken away stays readable, in milliseconds. */
  readonly keepMs: number;
  /** How many bytes of it a tree keeps. */
  readonly maxBytes: number;
  /** The disk whose space history gives back when others need it, if the content is on one. */
  readonly room: DiskRoom | undefined;
  readonly settledTime: SettledTime;
  readonly log: Log;
}

/**
 * Gives up the versions of trees that are too old, or too large (C 26): at once, then every minute; the oldest ones
 * of all trees when space runs short, before any upload is refused; and puts what changes have kept into order every
 * second. All of it in steps, between which others write.
 */
export class HistoryRetention implements AsyncDisposable {
  readonly #options: HistoryRetentionOptions;
  readonly #periodic: Periodic;
  /** Admits one round at a time. */
  readonly #turns = new Semaphore(1);
  readonly #ending = new AbortController();
  readonly #settling: IdleRounds;
  #rounds = 0;

  constructor(options: HistoryRetentionOptions) {
    this.#options = options;
    this.#settling = new IdleRounds(options.shared);
    this.#periodic = new Periodic(() => this.#round(), SECOND_MS);
    if (options.room !== undefined) options.room.giveWay = (lacking) => this.#giveWay(lacking);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#periodic[Symbol.asyncDispose]();
  }

  async #round(): Promise<void> {
    const { history, keepMs, maxBytes, room, settledTime, log } = this.#options;
    try {
      if (this.#settling.begin()) {
        while (!this.#ending.signal.aborted && !await history.settle());
      }
      if (room !== undefined) await this.#giveWay(() => room.lackingNear);
      if (this.#rounds++ % GIVE_UP_S > 0) return;
      using _turn = await this.#turns.acquire(this.#ending.signal);
      await this.#giveUp({ before: await settledTime() - keepMs, maxBytes });
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#settling.repeat();
      // The next time tries again.
      log.error("Cannot give up history", { error: asError(error) });
    }
  }

  /**
   * Gives up the oldest history of all trees while bytes are lacking, if there is enough of it to be of use: for
   * content, or on a disk that is nearly full, for what changes keep in the database.
   */
  async #giveWay(lacking: () => number): Promise<void> {
    if (lacking() === 0) return;
    const { history, room } = this.#options;
    // At the end of the server, nobody waits for room.
    const turn = await this.#turns.acquire(this.#ending.signal).catch(() => undefined);
    if (turn === undefined) return;
    using _turn = turn;
    for (let missing = lacking(); missing > 0; missing = lacking()) {
      const { bytes, earliest } = await history.kept();
      if (earliest === undefined || this.#ending.signal.aborted) return;
      const isEnough = bytes >= missing;
      if (!isEnough && room?.isNearlyFull !== true) return;
      await this.#giveUp({ before: earliest + MINUTE_MS, maxBytes: Infinity });
      if (!isEnough) return;
    }
  }

  async #giveUp(bounds: HistoryBounds): Promise<void> {
    for (let done = false; !done && !this.#ending.signal.aborted;) {
      const step = await this.#options.history.giveUp(bounds);
      await removeUnreferenced(this.#options, step.hashes);
      done = step.done;
    }
  }
}
