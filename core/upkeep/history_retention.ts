import type { HistoryStore } from "../history.ts";
import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import type { SettledTime } from "../settled_time.ts";
import type { Sweeper } from "../tree/sweeper.ts";

const MINUTE_MS = 60_000;

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

/** Gives up the versions of trees that are too old, or too large (C 26): at once, then every minute, in steps. */
export function retainHistory(
  { history, sweeper, keepMs, maxBytes, settledTime, log }: HistoryRetention,
): AsyncDisposable {
  let isEnding = false;
  const periodic = new Periodic(async () => {
    try {
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
  }, MINUTE_MS);
  return {
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await periodic[Symbol.asyncDispose]();
    },
  };
}
