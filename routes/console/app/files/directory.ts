import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, list } from "../shared/api.ts";
import { type LiveEvent, onLive, whenReachable } from "../shared/live.ts";
import { isWithin, parentOf } from "../shared/paths.ts";
import { Store } from "../shared/store.ts";
import { type Order, sorted } from "./order.ts";
import { joined, type ShownVerdict } from "./shown_verdict.ts";

/** The content of a directory. */
export interface Listing {
  readonly status: "loading" | "ready" | "missing" | "failed";
  readonly error?: unknown;
  readonly entries: readonly ResourceEntry[];
  /** By id of the entry. That of a directory is the worst one in it. */
  readonly verdicts: ReadonlyMap<number, ShownVerdict>;
}

/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 120;
/** When verdicts of directories are read again after a change in them, in milliseconds. */
const VERDICTS_AGAIN_MS = 1500;
/** Of more files below a directory, only those in it have a verdict shown. */
const MAX_DEEP_VERDICTS = 20_000;

/** A directory that is shown: loaded once, and kept as it is by events. It says when it has moved. */
export class Directory implements Disposable {
  readonly path: string;
  readonly listing = new Store<Listing>({ status: "loading", entries: [], verdicts: new Map() });
  readonly #onMoved: (path: string) => void;
  /** Its own id. The root has none. */
  #id: number | undefined;
  readonly #entries = new Map<number, ResourceEntry>();
  #verdicts = new Map<number, ShownVerdict>();
  #order: Order = { by: "name", isDescending: false };
  #loading = new AbortController();
  /** What has happened since it was asked for, which the list may not have. Undefined when it is loaded. */
  #since: LiveEvent[] | undefined;
  #status: Listing["status"] = "loading";
  #error: unknown;
  #showing: number | undefined;
  #verdictsDue: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onLive((event) => this.#apply(event));

  /** @param onMoved Called with the new path when the directory, or one above it, is moved. */
  constructor(path: string, onMoved: (path: string) => void) {
    this.path = path;
    this.#onMoved = onMoved;
    this.load();
  }

  /** Loads it again. */
  load(): void {
    this.#loading.abort();
    this.#endWaiting();
    this.#loading = new AbortController();
    this.#since = [];
    void this.#load(this.#loading.signal);
  }

  set order(order: Order) {
    this.#order = order;
    this.#show();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endWaiting();
    this.#loading.abort();
    clearTimeout(this.#showing);
    clearTimeout(this.#verdictsDue);
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      const found = new Map<number, ResourceEntry>();
      let isThere = this.path === "";
      const query = this.path === "" ? {} : { path: this.path };
      for await (const entries of list<ResourceEntry>("/resources/", { query, signal })) {
        for (const entry of entries) {
          if (entry.path === this.path) {
            isThere = entry.is_dir;
            this.#id = entry.id;
          } else if (parentOf(entry.path) === this.path) found.set(entry.id, entry);
        }
      }
      this.#entries.clear();
      for (const [id, entry] of found) this.#entries.set(id, entry);
      this.#end(isThere ? "ready" : "missing");
      const since = this.#since ?? [];
      this.#since = undefined;
      for (const event of since) this.#apply(event);
      await this.#loadVerdicts(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#since = undefined;
      const isGone = error instanceof ApiError && error.status === 404;
      this.#end(isGone ? "missing" : "failed", error);
      if (error instanceof ApiError && error.isOffline) {
        this.#endWaiting = whenReachable(() => this.load());
      }
    }
  }

  #end(status: Listing["status"], error?: unknown): void {
    this.#status = status;
    this.#error = error;
    this.#show();
  }

  /** Reads the verdicts on all files below, or if these are too many, on those in the directory. */
  async #loadVerdicts(signal: AbortSignal): Promise<void> {
    const query: Readonly<Record<string, string>> = this.path === "" ? {} : { path: this.path };
    const hasDirectories = this.#entries.values().some(({ is_dir }) => is_dir);
    const isWhole = await this.#readVerdicts(
      hasDirectories ? { ...query, recursive: "true" } : query,
      hasDirectories ? MAX_DEEP_VERDICTS : Infinity,
      signal,
    );
    if (!isWhole) await this.#readVerdicts(query, Infinity, signal);
  }

  /** Returns whether there were no more than `max`. */
  async #readVerdicts(
    query: Readonly<Record<string, string>>,
    max: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const verdicts = new Map<number, ShownVerdict>();
    const ids = new Map(this.#entries.values().map(({ path, id }) => [path, id]));
    let count = 0;
    for await (const items of list<VerdictEntry>("/resources/verdicts", { query, signal })) {
      count += items.length;
      if (count > max) return false;
      for (const item of items) {
        const id = ids.get(this.#childOf(item.path));
        if (id !== undefined) verdicts.set(id, joined(verdicts.get(id), item));
      }
    }
    this.#verdicts = verdicts;
    this.#show();
    return true;
  }

  /** The path of the entry here that a path is, or is below. */
  #childOf(path: string): string {
    const start = this.path === "" ? 0 : this.path.length + 1;
    const end = path.indexOf("/", start);
    return end === -1 ? path : path.slice(0, end);
  }

  #apply(event: LiveEvent): void {
    this.#since?.push(event);
    switch (event.type) {
      case "reset":
        return this.load();
      case "scan.finished":
        return this.#readVerdictsSoon();
      case "resource.verdict":
        return this.#applyVerdict(event.data);
      case "resource.added":
      case "resource.updated":
        return this.#applyEntry(event.data);
      case "resource.deleted":
        if (event.data.path === this.path) this.#end("missing");
        if (this.#entries.delete(event.data.id)) this.#show();
    }
  }

  #applyEntry(entry: ResourceEntry): void {
    if (entry.id === this.#id && entry.path !== this.path) return this.#onMoved(entry.path);
    if (this.#status === "missing" && entry.path === this.path && entry.is_dir) return this.load();
    // An entry that has moved has the same id.
    if (entry.path !== this.path && parentOf(entry.path) === this.path) {
      this.#entries.set(entry.id, entry);
      this.#readVerdictsSoon();
    } else if (!this.#entries.delete(entry.id)) {
      if (isWithin(entry.path, this.path)) this.#readVerdictsSoon();
      return;
    }
    this.#show();
  }

  #applyVerdict(item: Pick<VerdictEntry, "id" | "path" | "verdict">): void {
    if (!isWithin(item.path, this.path)) return;
    // The event has no findings.
    this.#readVerdictsSoon();
    if (!this.#entries.has(item.id)) return;
    this.#verdicts.set(item.id, {
      ...{ verdict: item.verdict, path: item.path },
      detail: undefined,
      files: 1,
    });
    this.#show();
  }

  #readVerdictsSoon(): void {
    this.#verdictsDue ??= setTimeout(() => {
      this.#verdictsDue = undefined;
      // What is shown stays; the next change tries again.
      this.#loadVerdicts(this.#loading.signal).catch(() => {});
    }, VERDICTS_AGAIN_MS);
  }

  /** Shows what has changed, with what else changes in the same moment. */
  #show(): void {
    if (this.#showing !== undefined) return;
    const isFirst = this.listing.value.status === "loading";
    const show = () => {
      this.#showing = undefined;
      const verdicts = new Map(this.#verdicts);
      const entries = sorted([...this.#entries.values()], this.#order, verdicts);
      this.listing.set({ status: this.#status, error: this.#error, entries, verdicts });
    };
    if (isFirst) show();
    else this.#showing = setTimeout(show, SHOW_MS);
  }
}
