import { useEffect, useState } from "preact/hooks";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, list } from "../shared/api.ts";
import { isOfResource, type LiveEvent, onLive, whenReachable } from "../shared/live.ts";
import { isWithin } from "../shared/paths.ts";
import type { Listing } from "./directory.ts";
import { joined, type ShownVerdict } from "./shown_verdict.ts";

/** How long a person may type before the search begins, in milliseconds. */
const TYPING_MS = 250;
/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 120;
export const MAX_FOUND = 1000;

/** What is below a folder and has the words in its path. Undefined without words. */
export function useSearch(directory: string, words: string): Listing | undefined {
  const [found, setFound] = useState<Listing>();
  const wanted = words.trim().toLowerCase();
  useEffect(() => {
    setFound(wanted === "" ? undefined : { status: "loading", entries: [], verdicts: new Map() });
    if (wanted === "") return;
    let search: Search | undefined;
    const timer = setTimeout(() => search = new Search(directory, wanted, setFound), TYPING_MS);
    return () => {
      clearTimeout(timer);
      search?.[Symbol.dispose]();
    };
  }, [directory, wanted]);
  return found;
}

/** A search: read once, and kept as it is by events. */
class Search implements Disposable {
  readonly #directory: string;
  readonly #words: readonly string[];
  readonly #show: (found: Listing) => void;
  readonly #entries = new Map<number, ResourceEntry>();
  readonly #verdicts = new Map<number, ShownVerdict>();
  /** What has gone since it was asked for, which the list may still have. */
  readonly #gone = new Set<number>();
  #reading = new AbortController();
  #status: Listing["status"] = "loading";
  #showing: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onLive((event) => this.#apply(event));

  constructor(directory: string, wanted: string, show: (found: Listing) => void) {
    this.#directory = directory;
    this.#words = wanted.split(/\s+/);
    this.#show = show;
    this.#read();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endWaiting();
    this.#reading.abort();
    clearTimeout(this.#showing);
  }

  #read(): void {
    this.#reading.abort();
    this.#endWaiting();
    for (const known of [this.#entries, this.#verdicts, this.#gone]) known.clear();
    this.#status = "loading";
    const { signal } = this.#reading = new AbortController();
    this.#readAll(signal).catch((error) => {
      if (signal.aborted) return;
      this.#show({ status: "failed", error, entries: [], verdicts: new Map() });
      if (error instanceof ApiError && error.isOffline) {
        this.#endWaiting = whenReachable(() => this.#read());
      }
    });
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    const directory = this.#directory;
    const options = {
      query: { recursive: "true", ...(directory !== "" && { path: directory }) },
      signal,
    };
    for await (const items of list<ResourceEntry>("/resources/", options)) {
      for (const item of items) {
        if (this.#entries.size >= MAX_FOUND) break;
        // An event was there before, and is newer.
        if (this.#gone.has(item.id) || this.#entries.has(item.id)) continue;
        if (this.#matches(item.path)) this.#entries.set(item.id, item);
      }
      if (this.#entries.size >= MAX_FOUND) break;
    }
    this.#status = "ready";
    this.#showAll();
    for await (const items of list<VerdictEntry>("/resources/verdicts", options)) {
      for (const item of items) {
        if (this.#entries.has(item.id)) this.#verdicts.set(item.id, joined(undefined, item));
      }
    }
    this.#showAll();
  }

  #matches(path: string): boolean {
    const start = this.#directory === "" ? 0 : this.#directory.length + 1;
    if (!isWithin(path, this.#directory) || path.length <= start) return false;
    const below = path.slice(start).toLowerCase();
    return this.#words.every((word) => below.includes(word));
  }

  #apply(event: LiveEvent): void {
    if (event.type === "reset") return this.#read();
    if (!isOfResource(event)) return;
    if (event.type === "resource.verdict") {
      const { id, path, verdict } = event.data;
      if (!this.#entries.has(id)) return;
      this.#verdicts.set(id, { verdict, path, detail: undefined, files: 1 });
    } else {
      const { id, path } = event.data;
      const isThere = event.type !== "resource.deleted" && this.#matches(path);
      if (isThere) {
        this.#gone.delete(id);
        if (this.#entries.has(id) || this.#entries.size < MAX_FOUND) {
          this.#entries.set(id, event.data);
        }
      } else {
        this.#gone.add(id);
        if (!this.#entries.delete(id)) return;
      }
    }
    if (this.#status === "ready") this.#showing ??= setTimeout(() => this.#showAll(), SHOW_MS);
  }

  #showAll(): void {
    clearTimeout(this.#showing);
    this.#showing = undefined;
    const entries = this.#entries.values().toArray().sort((a, b) => a.path < b.path ? -1 : 1);
    this.#show({ status: this.#status, entries, verdicts: new Map(this.#verdicts) });
  }
}
