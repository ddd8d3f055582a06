import type { Scan } from "./ports.ts";

type Settle = (scan?: Scan) => void;

/** The requests that wait for a scan to finish. */
export class ScanWatchers {
  readonly #watchers = new Map<number, Set<Settle>>();
  #closed = false;

  /** The scans that requests wait for. */
  get ids(): number[] {
    return [...this.#watchers.keys()];
  }

  /** Waits for a scan to finish. Returns undefined if the signal aborts or {@link close} is called. */
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

  /** Resolves the promises of those who wait for this scan. */
  notify(finished: Scan): void {
    for (const settle of [...this.#watchers.get(finished.id) ?? []]) settle(finished);
  }

  /** Ends all waiting, now and from now on. */
  close(): void {
    this.#closed = true;
    for (const watchers of [...this.#watchers.values()]) {
      for (const settle of [...watchers]) settle();
    }
  }
}
