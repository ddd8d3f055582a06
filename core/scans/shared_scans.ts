import { untilAborted } from "../event_loop.ts";
import type { ResultKey } from "./ports.ts";

/** How the scan of a content ended. */
export interface ContentOutcome {
  /** Why the content could not be scanned; left out if its result is kept. */
  readonly failure?: string;
  /** Whether this holds for other scans of the content, too: it was not replaced meanwhile. */
  readonly isShared: boolean;
}

/**
 * The contents that are being scanned, so that scans of equal content of one user share one run.
 * See docs/design/scans.md.
 */
export class SharedScans {
  readonly #running = new Map<string, Promise<ContentOutcome | undefined>>();

  /** Resolves at the end of the scan of the content that runs; undefined if none does. */
  ended(key: ResultKey): Promise<unknown> | undefined {
    return this.#running.get(nameOf(key));
  }

  /**
   * Waits for another scan of the content, and returns its outcome if it holds for both. Runs `work`
   * if there is no such scan.
   *
   * @throws what `work` throws, or the reason of the signal when it aborts the wait.
   */
  async run(
    key: ResultKey,
    signal: AbortSignal,
    work: () => Promise<ContentOutcome>,
  ): Promise<ContentOutcome> {
    const name = nameOf(key);
    for (let other; (other = this.#running.get(name)) !== undefined;) {
      const outcome = await untilAborted(other, signal);
      if (outcome?.isShared) return outcome;
    }
    signal.throwIfAborted();
    const own = work();
    // Whatever ends this run, another one may still succeed.
    this.#running.set(name, own.catch(() => undefined));
    try {
      return await own;
    } finally {
      this.#running.delete(name);
    }
  }
}

function nameOf({ userId, hash, name, skip }: ResultKey): string {
  return JSON.stringify([userId, hash, name, skip]);
}
