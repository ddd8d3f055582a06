import type { Scan } from "./ports.ts";

type Settle = (scan?: Scan) => void;

/** Those who wait for the end of a scan. */
export class ScanWatchers {
  readonly #watchers = new Map<number, Set<Settle>>();
  #closed = false;

  /** The scan once it has finished, or undefined where it has not when the signal aborts. */
  finished(id: number, signal: AbortSignal): Promise<Scan | undefined> {
    const { promise, resolve } = Promise.withResolvers<Scan | undefined>();
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers);
    const settle = (scan?: Scan) => {
      watchers.delete(settle);
      if (watchers.size === 0) this.#watchers.delete(id);
      signal.removeEventListener("abort", giveUp);
      resolve(scan);
    };
    const giveUp = () => settle();
    signal.addEventListener("abort", giveUp);
    watchers.add(settle);
    if (signal.aborted || this.#closed) giveUp();
    return promise;
  }

  /** Tells those who wait for it of a scan that has finished. */
  tell(scan: Scan): void {
    for (const settle of [...this.#watchers.get(scan.id) ?? []]) settle(scan);
  }

  /** Ends the waiting of all, and of those who are still to come. */
  close(): void {
    this.#closed = true;
    for (const watchers of [...this.#watchers.values()]) {
      for (const settle of [...watchers]) settle();
    }
  }
}
