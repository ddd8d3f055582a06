import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { FoundEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, list } from "../shared/api.ts";
import { type LiveEvent, onShown, whenReachable } from "../shared/live.ts";
import { count } from "../shared/format.ts";
import { parentOf } from "../shared/paths.ts";
import { Store } from "../shared/store.ts";
import { Entries } from "./entries.ts";
import { FolderVerdicts, MAX_DEEP_VERDICTS } from "./folder_verdicts.ts";
import type { Order } from "./order.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

/** What a search tells of an entry. */
export type Known = NonNullable<FoundEntry["known"]>;

/** The content of a directory. */
export interface Listing {
  readonly status: "loading" | "ready" | "missing" | "failed";
  readonly error?: unknown;
  readonly entries: readonly ResourceEntry[];
  /** By id of the entry. That of a directory is the worst one in it. */
  readonly verdicts: ReadonlyMap<number, ShownVerdict>;
  /** By id of the entry, what else is known of it. */
  readonly known?: ReadonlyMap<number, Known> | undefined;
  /** What the person should know of it. */
  readonly note?: string | undefined;
}

/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 120;
const TOO_MANY = `More than ${
  count(MAX_DEEP_VERDICTS)
} files are below: open a folder to see its verdicts.`;

/** A directory that is shown: loaded once, and kept as it is by events. It says when it has moved. */
export class Directory implements Disposable {
  readonly path: string;
  readonly listing = new Store<Listing>({ status: "loading", entries: [], verdicts: new Map() });
  readonly #onMoved: (path: string) => void;
  /** Its own id. The root has none. */
  #id: number | undefined;
  readonly #entries = new Entries();
  readonly #verdicts: FolderVerdicts;
  #order: Order = { by: "name", isDescending: false };
  #loading = new AbortController();
  /** What has happened since it was asked for, which the list may not have. Undefined when it is loaded. */
  #since: LiveEvent[] | undefined;
  #status: Listing["status"] = "loading";
  #error: unknown;
  #showing: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onShown((event) => this.#apply(event));

  /** @param onMoved Called with the new path when the directory, or one above it, is moved. */
  constructor(path: string, onMoved: (path: string) => void) {
    this.path = path;
    this.#onMoved = onMoved;
    const { folders } = this.#entries;
    this.#verdicts = new FolderVerdicts({ path, folders, onChange: () => this.#show() });
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
    this.#verdicts[Symbol.dispose]();
  }

  async #load(signal: AbortSignal): Promise<void> {
    try {
      const found: ResourceEntry[] = [];
      let isThere = this.path === "";
      const query = this.path === "" ? {} : { path: this.path };
      for await (const entries of list<ResourceEntry>("/resources/", { query, signal })) {
        for (const entry of entries) {
          if (entry.path === this.path) {
            isThere = entry.is_dir;
            this.#id = entry.id;
          } else if (parentOf(entry.path) === this.path) found.push(entry);
        }
      }
      this.#entries.replace(found);
      this.#end(isThere ? "ready" : "missing");
      const since = this.#since ?? [];
      this.#since = undefined;
      for (const event of since) this.#apply(event);
      await this.#verdicts.read();
    } catch (error) {
      if (signal.aborted) return;
      this.#since = undefined;
      const isGone = error instanceof ApiError && error.code === "ErrResourcesNotFound";
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

  #apply(event: LiveEvent): void {
    this.#since?.push(event);
    switch (event.type) {
      case "reset":
        return this.load();
      case "scan.finished":
        return this.#verdicts.readSoon(event.data.paths);
      case "resource.verdict":
        return this.#verdicts.judge(event.data);
      case "resource.added":
      case "resource.updated":
        if (!event.data.is_dir) this.#verdicts.change(event.data);
        return this.#applyEntry(event.data);
      case "resource.deleted":
        if (event.data.path === this.path) this.#end("missing");
        this.#verdicts.remove(event.data.id);
        if (this.#entries.remove(event.data.id)) this.#show();
    }
  }

  #applyEntry(entry: ResourceEntry): void {
    if (entry.id === this.#id && entry.path !== this.path) return this.#onMoved(entry.path);
    if (this.#status === "missing" && entry.path === this.path && entry.is_dir) return this.load();
    // An entry that has moved has the same id.
    if (entry.path !== this.path && parentOf(entry.path) === this.path) this.#entries.put(entry);
    else if (!this.#entries.remove(entry.id)) return;
    this.#show();
  }

  /** Shows what has changed, with what else changes in the same moment. */
  #show(): void {
    if (this.#showing !== undefined) return;
    const isFirst = this.listing.value.status === "loading";
    const show = () => {
      this.#showing = undefined;
      const verdicts = this.#verdicts.current();
      this.listing.set({
        status: this.#status,
        error: this.#error,
        entries: this.#entries.sorted(this.#order, verdicts),
        verdicts,
        note: this.#verdicts.areTooMany ? TOO_MANY : undefined,
      });
    };
    if (isFirst) show();
    else this.#showing = setTimeout(show, SHOW_MS);
  }
}
