import type { ScanEntry } from "../../../../schemas/scans.ts";
import { ApiError, call } from "../shared/api.ts";
import { isOfScan, type LiveEvent, onLive, whenReachable } from "../shared/live.ts";
import { Store } from "../shared/store.ts";

/** The scans of the tree that is shown, newest first. */
export interface Listing {
  readonly status: "loading" | "ready" | "failed";
  readonly error?: unknown;
  readonly scans: readonly ScanEntry[];
  /** Whether there may be older ones. */
  readonly hasMore: boolean;
}

const PAGE = 100;

/** The list of scans: pages of it, and what changes meanwhile. */
export class ScanList implements Disposable {
  readonly listing = new Store<Listing>({ status: "loading", scans: [], hasMore: false });
  readonly #end = onLive((event) => this.#follow(event));
  #endWaiting = () => {};
  /** What has happened to scans while the list was asked for, which it may not have. */
  #since: ScanEntry[] | undefined;

  constructor() {
    void this.load();
  }

  [Symbol.dispose](): void {
    this.#end();
    this.#endWaiting();
  }

  /** Loads the newest scans. */
  async load(): Promise<void> {
    await this.#page(undefined);
  }

  /** Loads the scans before the oldest one that is shown. */
  async loadOlder(): Promise<void> {
    await this.#page(this.listing.value.scans.at(-1)?.id);
  }

  async #page(before: number | undefined): Promise<void> {
    this.#endWaiting();
    const since: ScanEntry[] = this.#since = [];
    try {
      const { items } = await call<{ items: readonly ScanEntry[] }>("GET", "/scans/", {
        query: { limit: String(PAGE), ...(before !== undefined && { before: String(before) }) },
      });
      // It has been asked for again meanwhile.
      if (this.#since !== since) return;
      this.#since = undefined;
      const scans = before === undefined ? items : [...this.listing.value.scans, ...items];
      // A page may end early by its size; an empty one is the end.
      this.listing.set({
        status: "ready",
        scans,
        hasMore: items.length > 0 && scans.at(-1)?.id !== 1,
      });
      for (const scan of since) this.#put(scan);
    } catch (error) {
      if (this.#since !== since) return;
      this.#since = undefined;
      const isOffline = error instanceof ApiError && error.isOffline;
      if (isOffline) this.#endWaiting = whenReachable(() => void this.#page(before));
      if (isOffline && this.listing.value.status === "ready") return;
      this.listing.set({ ...this.listing.value, status: "failed", error });
    }
  }

  #follow(event: LiveEvent): void {
    if (event.type === "reset") return void this.load();
    if (!isOfScan(event)) return;
    this.#since?.push(event.data);
    if (this.listing.value.status === "ready") this.#put(event.data);
  }

  /** Shows a scan as it is now, unless it is older than those that are shown. */
  #put(scan: ScanEntry): void {
    const { listing } = this;
    const { scans } = listing.value;
    const at = scans.findIndex(({ id }) => id === scan.id);
    const isNew = at < 0 && scan.id > (scans[0]?.id ?? 0);
    if (at < 0 && !isNew) return;
    listing.set({ ...listing.value, scans: isNew ? [scan, ...scans] : scans.with(at, scan) });
  }
}
