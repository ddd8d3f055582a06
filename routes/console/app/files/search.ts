import { useEffect, useState } from "preact/hooks";
import type { SearchFacets } from "../../../../schemas/search.ts";
import type { FoundEntry, FoundList } from "../../../../schemas/verdicts.ts";
import { ApiError, call, type Query } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { isOfResource, isOfScan, type LiveEvent, onShown, whenReachable } from "../shared/live.ts";
import { isWithin } from "../shared/paths.ts";
import { type Asked, isSearch, queryOf } from "./asked.ts";
import type { Known, Listing } from "./directory.ts";
import { Entries } from "./entries.ts";
import type { Order } from "./order.ts";
import { shownOf, type ShownVerdict } from "./shown_verdict.ts";

/** How often what is shown changes at most, in milliseconds. */
const SHOW_MS = 120;
/** What has changed is searched for again after so many milliseconds at the earliest, */
const AGAIN_MS = 1000;
/** and after so many times as long as the search has taken. */
const REST = 10;
/** How many entries are asked for at once. */
const PAGE = "1000";
const BY_PATH: Order = { by: "path", isDescending: false };

/** A search, as it is shown. */
export interface Found extends Listing {
  /** Ends it early. Left out when it has ended. */
  readonly stop?: (() => void) | undefined;
  /** Undefined until they are known, null if there is too much to count. */
  readonly facets?: SearchFacets | null | undefined;
  /** How many times it has searched again, after changes. */
  readonly repeats: number;
}

/** What is below a folder and is what is asked for, as it is found. Undefined if nothing is. */
export function useSearch(directory: string, asked: Asked): Found | undefined {
  const [found, setFound] = useState<Found>();
  const key = JSON.stringify(queryOf(asked));
  useEffect(() => {
    if (!isSearch(asked)) return setFound(undefined);
    // The choices among facts stay while the search goes on.
    setFound((before) => ({ ...NOTHING_YET, facets: before?.facets }));
    const search = new Search(directory, asked, setFound);
    return () => search[Symbol.dispose]();
  }, [directory, key]);
  return isSearch(asked) ? found ?? NOTHING_YET : undefined;
}

const NOTHING_YET: Found = {
  status: "loading",
  entries: [],
  verdicts: new Map(),
  repeats: 0,
};

/** A search: asked for page by page, and kept as it is by events. */
class Search implements Disposable {
  readonly #directory: string;
  readonly #query: Query;
  readonly #words: readonly string[];
  /** Whether paths alone do not say what is found. */
  readonly #hasConditions: boolean;
  readonly #show: (found: Found) => void;
  readonly #entries = new Entries();
  readonly #verdicts = new Map<number, ShownVerdict>();
  readonly #known = new Map<number, Known>();
  /** What has happened to entries since it was asked for, which a page may not have. */
  readonly #changed = new Set<number>();
  #facets: SearchFacets | null | undefined;
  #repeats = 0;
  #isComplete = true;
  #reading = new AbortController();
  #state: "searching" | "stopped" | "ended" = "searching";
  /** Whether something has changed since it was asked for. */
  #isStale = false;
  #tookMs = 0;
  #again: number | undefined;
  #showing: number | undefined;
  #endWaiting = () => {};
  readonly #unsubscribe = onShown((event) => this.#apply(event));

  constructor(directory: string, asked: Asked, show: (found: Found) => void) {
    this.#directory = directory;
    this.#query = { ...queryOf(asked), path: directory, limit: PAGE, known: "true" };
    this.#words = asked.words.toLowerCase().split(/\s+/);
    this.#hasConditions = Object.keys(asked.conditions).length > 0;
    this.#show = show;
    this.#read();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#endWaiting();
    this.#reading.abort();
    clearTimeout(this.#showing);
    clearTimeout(this.#again);
  }

  /** Begins anew. */
  #read(): void {
    this.#clear();
    this.#state = "searching";
    this.#ask((page) => {
      for (const item of page) this.#add(item);
      this.#showSoon();
    }, (error) => {
      clearTimeout(this.#showing);
      this.#show({ ...NOTHING_YET, status: "failed", error });
    });
  }

  /** Searches once more, and shows what was found until all is there. */
  #readAgain(): void {
    const items: FoundEntry[] = [];
    this.#ask((page, isLast) => {
      items.push(...page);
      if (!isLast) return;
      this.#repeats++;
      const changed = this.#entries.of(this.#changed);
      this.#clear(this.#changed);
      for (const entry of changed) this.#entries.put(entry);
      for (const item of items) this.#add(item);
    }, () => this.#again = setTimeout(() => this.#readAgain(), REST * AGAIN_MS));
  }

  /** Forgets all entries, and what is known of them but for some. */
  #clear(except: ReadonlySet<number> = new Set()): void {
    this.#entries.replace([]);
    for (const map of [this.#verdicts, this.#known]) {
      for (const id of map.keys()) if (!except.has(id)) map.delete(id);
    }
  }

  #ask(
    onPage: (items: readonly FoundEntry[], isLast: boolean) => void,
    onError: (error: unknown) => void,
  ): void {
    this.#reading.abort();
    this.#endWaiting();
    clearTimeout(this.#again);
    this.#again = undefined;
    this.#changed.clear();
    this.#isStale = false;
    const { signal } = this.#reading = new AbortController();
    this.#readAll(signal, onPage).catch((error) => {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.isOffline) {
        this.#endWaiting = whenReachable(() => this.#read());
      }
      onError(error);
    });
  }

  async #readAll(
    signal: AbortSignal,
    onPage: (items: readonly FoundEntry[], isLast: boolean) => void,
  ): Promise<void> {
    const start = performance.now();
    let isComplete = true;
    for (let after: string | null = ""; after !== null;) {
      const query: Query = { ...this.#query, after, ...(after === "" && { facets: "true" }) };
      const page: FoundList = await call("GET", "/resources/search", { query, signal });
      if (after === "") this.#facets = page.facets;
      isComplete &&= page.complete;
      after = page.next;
      onPage(page.items, after === null);
    }
    this.#state = "ended";
    this.#isComplete = isComplete;
    this.#tookMs = performance.now() - start;
    this.#showSoon();
    if (this.#isStale || !isComplete) this.#readSoon();
  }

  /** Searches once more in a moment, however much changes meanwhile. */
  #readSoon(): void {
    this.#isStale = true;
    if (this.#state !== "ended" || this.#again !== undefined) return;
    const delay = Math.max(AGAIN_MS, REST * this.#tookMs);
    this.#again = setTimeout(() => this.#readAgain(), delay);
  }

  #add({ verdict, known, ...entry }: FoundEntry): void {
    // An event was there before, and is newer.
    if (this.#changed.has(entry.id)) return;
    this.#entries.put(entry);
    const { id, path } = entry;
    if (verdict !== null) this.#verdicts.set(id, shownOf({ ...verdict, path, size: entry.size }));
    if (known === undefined) return;
    this.#known.set(id, known);
    if (known.worst !== null) this.#judge(id, path, known.worst);
  }

  #judge(id: number, path: string, verdict: ShownVerdict["verdict"]): void {
    const known = this.#verdicts.get(id);
    // A waiver leaves the verdict as it is.
    const shown = known?.verdict === verdict
      ? known
      : { detail: undefined, files: 1, isBlocked: false };
    this.#verdicts.set(id, { ...shown, verdict, path });
  }

  #stop(): void {
    this.#reading.abort();
    this.#state = "stopped";
    this.#showAll();
  }

  /** Whether an entry that has changed is found, as far as that can be told here. */
  #matches(id: number, path: string): boolean {
    if (!isWithin(path, this.#directory)) return false;
    const start = this.#directory === "" ? 0 : this.#directory.length + 1;
    if (path.length <= start) return false;
    const former = this.#entries.get(id);
    if (this.#hasConditions) return former !== undefined;
    const below = path.slice(start).toLowerCase();
    // What is found by its facts alone stays until it is searched for again.
    return this.#words.every((word) => below.includes(word)) || former?.path === path;
  }

  #apply(event: LiveEvent): void {
    if (event.type === "reset") return this.#read();
    // Facts come with scans.
    if (isOfScan(event)) return event.type === "scan.finished" ? this.#readSoon() : undefined;
    if (!isOfResource(event)) return;
    const { id, path } = event.data;
    if (!isWithin(path, this.#directory) && !this.#entries.has(id)) return;
    this.#readSoon();
    if (event.type === "resource.verdict") {
      if (!this.#entries.has(id)) return;
      // An event does not say what the gate does.
      this.#judge(id, path, event.data.verdict);
    } else {
      this.#changed.add(id);
      const isThere = event.type !== "resource.deleted" && this.#matches(id, path);
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
    const note = NOTES[this.#state](size);
    this.#show({
      status: isSearching && size === 0 ? "loading" : "ready",
      entries: this.#entries.sorted(BY_PATH, this.#verdicts),
      verdicts: this.#verdicts,
      known: this.#known,
      facets: this.#facets,
      repeats: this.#repeats,
      note: this.#isComplete
        ? note
        : [note, INCOMPLETE].filter((it) => it !== undefined).join(". "),
      stop: isSearching ? () => this.#stop() : undefined,
    });
  }
}

const INCOMPLETE = "Not all facts are known yet: more may be found in a moment";
const NOTES = {
  searching: (found: number) => `Searching… ${plural(found, "match", "matches")} so far`,
  stopped: (found: number) => `Stopped after ${plural(found, "match", "matches")}`,
  ended: (found: number) => found === 0 ? undefined : plural(found, "match", "matches"),
} as const;
