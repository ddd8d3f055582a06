import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import { removeUnreferenced, type SweptStores } from "../tree/sweeper.ts";
import type { SharedUpkeep } from "./ports.ts";

const INTERVAL_MS = 5000;
/** While it finds nothing, it looks once in so many intervals. */
const IDLE_ROUNDS = 3;
/** The most hashes that are looked at in one transaction. Only who wants the same content waits for it. */
const MAX_HASHES = 1000;
/** The most transactions at a time. */
const MAX_ROUNDS = 1000;

export interface CollectionOptions extends SweptStores {
  readonly shared: SharedUpkeep;
  readonly log: Log;
  /** @default 5000 */
  readonly intervalMs?: number;
}

/**
 * Removes content that no record has, whichever server deleted the last one (C 23), and does what else
 * servers that share a database do from time to time: at once, then every few seconds.
 */
export function collectDropped({ shared, log, ...options }: CollectionOptions): AsyncDisposable {
  let ended = false;
  let failing = false;
  /** How often it has found nothing since. */
  let idle = 0;
  const periodic = new Periodic(async () => {
    if (idle++ % IDLE_ROUNDS > 0) return;
    try {
      for (let round = 0; round < MAX_ROUNDS && !ended; round++) {
        const hashes = await shared.dropped(MAX_HASHES);
        await removeUnreferenced(options, hashes, MAX_HASHES);
        if (hashes.length > 0) idle = 0;
        // What others have locked now is looked at the next time.
        if (hashes.length < MAX_HASHES) break;
      }
      await shared.tidy();
      failing = false;
    } catch (error) {
      // The next time tries again.
      if (!failing) log.error("Cannot remove unreferenced content", { error: asError(error) });
      failing = true;
    }
  }, options.intervalMs ?? INTERVAL_MS);
  return {
    async [Symbol.asyncDispose]() {
      ended = true;
      await periodic[Symbol.asyncDispose]();
    },
  };
}
