import { useEffect, useState } from "preact/hooks";
import type { FoundEntry, FoundList } from "../../../../schemas/verdicts.ts";
import { ApiError, call } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { isOfResource, type LiveEvent, onShown, whenReachable } from "../shared/live.ts";
import { isWithin } from "../shared/paths.ts";
import type { Listing } from "./directory.ts";
import { Entries } from "./entries.ts";
import type { Order } from "./order.ts";
import { shownOf, type ShownVerdict } from "./shown_verdict.ts";

/** How long a person may type before the search begins, in milliseconds. */
const TYPING_MS = 250;
/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 120;
/** How many entries are asked for at once. */
const PAGE = "1000";
const BY_PATH: Order = { by: "path", isDescending: false };

/** A search, as it is shown. */
export interface Found extends Listing {
  /** Ends it early. Left out when it has ended. */
  readonly stop?: (() => void) | undefined;
}

/** What is below a folder and has the words in its path, as it is found. Undefined without words. */
export function useSearch(directory: string, words: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  const wanted = words.trim();
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

/** A search: asked for page by page, and kept as it is by events. */
class Search implements Disposable {
  readonly #directory: string;
  readonly #wanted: string;
  readonly #words: readonly string[];
  readonly #show: (found: Found) => void;
  readonly #entries = new Entries();
  readonly #verdicts = new Map<number, ShownVerdict>();
  /** What has happened to entries since it was asked for, which a page may not have. */
  readonly #changed = new Set<number>();
  #reading = new AbortController();
  #state: "searching" | "stopped" | "ended" = "searching";
  #showing: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onShown((event) => this.#apply(event));

  constructor(directory: string, wanted: string, show: (found: Found) => void) {
    this.#directory = directory;
    this.#wanted = wanted;
    this.#words = wanted.toLowerCase().split(/\s+/);
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
    this.#entries.replace([]);
    this.#verdicts.clear();
    this.#changed.clear();
    this.#state = "searching";
    const { signal } = this.#reading = new AbortController();
    this.#readAll(signal).catch((error) => {
      if (signal.aborted) return;
      clearTimeout(this.#showing);
      this.#show({ status: "failed", error, entries: [], verdicts: new Map() });
      if (error instanceof ApiError && error.isOffline) {
        this.#endWaiting = whenReachable(() => this.#read());
      }
    });
  }

  async #readAll(signal: AbortSignal): Promise<void> {
    const path = this.#directory;
    for (let after: string | null = ""; after !== null;) {
      const query: Record<string, string> = { q: this.#wanted, limit: PAGE, path, after };
      const page: FoundList = await call("GET", "/resources/search", { query, signal });
      for (const item of page.items) this.#add(item);
      after = page.next;
      if (after === null) this.#state = "ended";
      this.#showSoon();
    }
  }

  #add({ verdict, ...entry }: FoundEntry): void {
    // An event was there before, and is newer.
    if (this.#changed.has(entry.id)) return;
    this.#entries.put(entry);
    const { id, path } = entry;
    if (verdict !== null) this.#verdicts.set(id, shownOf({ ...verdict, path }));
  }

  #stop(): void {
    this.#reading.abort();
    this.#state = "stopped";
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
      // An event does not say what the gate does.
      this.#verdicts.set(id, { verdict, path, detail: undefined, files: 1, isBlocked: false });
    } else {
      const { id, path } = event.data;
      if (this.#state === "searching") this.#changed.add(id);
      const isThere = event.type !== "resource.deleted" && this.#matches(path);
      if (isThere) this.#entries.put(event.data);
      else if (!this.#entries.remove(id)) return;
    }
    this.#showSoon();
  }

  #showSoon(): void {
    this.#showing ??= setTimeout(() => this.#showAll(), SHOW_MS);
  }

  #showAll(): void {
    clearTimeout(this.#showing);
    this.#showing = undefined;
    const isSearching = this.#state === "searching";
    const { size } = this.#entries;
    this.#show({
      status: isSearching && size === 0 ? "loading" : "ready",
      entries: this.#entries.sorted(BY_PATH, this.#verdicts),
      verdicts: this.#verdicts,
      note: NOTES[this.#state](size),
      stop: isSearching ? () => this.#stop() : undefined,
    });
  }
}

const NOTES = {
  searching: (found: number) => `Searching… ${plural(found, "match", "matches")} so far`,
  stopped: (found: number) => `Stopped after ${plural(found, "match", "matches")}`,
  ended: (found: number) => found === 0 ? undefined : plural(found, "match", "matches"),
} as const;
