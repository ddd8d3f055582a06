import { FairQueue } from "../fair_queue.ts";
import type { QueueCounts, Scan, ScanQueue, ScanStore } from "./ports.ts";

/** The queue of a server that has its scans for itself, in memory. */
export class LocalQueue implements ScanQueue {
  readonly #store: ScanStore;
  readonly #queue = new FairQueue<Scan>();

  constructor(store: ScanStore) {
    this.#store = store;
  }

  get isEmpty(): boolean {
    return this.#queue.users === 0;
  }

  counts(userId: number): Promise<QueueCounts> {
    const { users } = this.#queue;
    return Promise.resolve({ scans: this.#queue.size(), own: this.#queue.size(userId), users });
  }

  /** Call it before {@link add}: every unfinished scan in the store counts as left over. */
  async resume(): Promise<void> {
    for (const scan of await this.#store.requeue()) this.add(scan);
  }

  add(scan: Scan): void {
    this.#queue.add(scan.requestedBy, scan);
  }

  take(): Promise<Scan | undefined> {
    return Promise.resolve(this.#queue.next());
  }

  async cancel(id: number): Promise<Scan | undefined> {
    const scan = this.#queue.find((scan) => scan.id === id);
    if (scan === undefined) return undefined;
    const index = this.#queue.remove(scan.requestedBy, scan);
    try {
      return await this.#store.end(scan, "cancelled", Date.now());
    } catch (error) {
      // The store still has it as queued.
      this.#queue.add(scan.requestedBy, scan, index);
      throw error;
    }
  }
}
