import type { HistoryStore } from "../history.ts";
import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import type { SettledTime } from "../settled_time.ts";
import type { Sweeper } from "../tree/sweeper.ts";

const SECOND_MS = 1000;
/** How often history is given up, in seconds. */
const GIVE_UP_S = 60;

/** What {@link retainHistory} works with. */
export interface HistoryRetention {
  readonly history: HistoryStore;
  readonly sweeper: Pick<Sweeper, "add">;
  /** How long what a change has taken away stays readable, in milliseconds. */
  readonly keepMs: number;
  /** How many bytes of it a tree keeps. */
  readonly maxBytes: number;
  readonly settledTime: SettledTime;
  readonly log: Log;
}

/**
 * Gives up the versions of trees that are too old, or too large (C 26): at once, then every minute; and puts what
 * changes have kept into order every second. All of it in steps, between which others write.
 */
export function retainHistory(
  { history, sweeper, keepMs, maxBytes, settledTime, log }: HistoryRetention,
): AsyncDisposable {
  let isEnding = false;
  let rounds = 0;
  const periodic = new Periodic(async () => {
    try {
      while (!isEnding && !await history.settle());
      if (rounds++ % GIVE_UP_S > 0) return;
      const before = await settledTime() - keepMs;
      for (let done = false; !done && !isEnding;) {
        const step = await history.giveUp({ before, maxBytes });
        sweeper.add(step.hashes);
        done = step.done;
      }
    } catch (error) {
      // The next time tries again.
      log.error("Cannot give up history", { error: asError(error) });
    }
  }, SECOND_MS);
  return {
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await periodic[Symbol.asyncDispose]();
    },
  };
}
