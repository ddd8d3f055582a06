import { useEffect, useState } from "preact/hooks";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { list } from "../shared/api.ts";
import type { Listing } from "./directory.ts";
import { joined, type ShownVerdict } from "./shown_verdict.ts";

/** How long a person may type before the search begins, in milliseconds. */
const TYPING_MS = 250;
export const MAX_FOUND = 1000;

/** What is below a folder and has the words in its path. Undefined without words. */
export function useSearch(directory: string, words: string): Listing | undefined {
  const [found, setFound] = useState<Listing>();
  const wanted = words.trim().toLowerCase();
  useEffect(() => {
    setFound(wanted === "" ? undefined : { status: "loading", entries: [], verdicts: new Map() });
    if (wanted === "") return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      search(directory, wanted, setFound, abort.signal).catch((error) => {
        if (abort.signal.aborted) return;
        setFound({ status: "failed", error, entries: [], verdicts: new Map() });
      });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [directory, wanted]);
  return found;
}

async function search(
  directory: string,
  wanted: string,
  show: (found: Listing) => void,
  signal: AbortSignal,
): Promise<void> {
  const options = {
    query: { recursive: "true", ...(directory !== "" && { path: directory }) },
    signal,
  };
  const start = directory === "" ? 0 : directory.length + 1;
  const words = wanted.split(/\s+/);
  const entries: ResourceEntry[] = [];
  for await (const items of list<ResourceEntry>("/resources/", options)) {
    const matching = items.filter(({ path }) => {
      const below = path.slice(start).toLowerCase();
      return path.length > start && words.every((word) => below.includes(word));
    });
    entries.push(...matching.slice(0, MAX_FOUND - entries.length));
    if (entries.length >= MAX_FOUND) break;
  }
  show({ status: "ready", entries, verdicts: new Map() });
  const ids = new Set(entries.map(({ id }) => id));
  const verdicts = new Map<number, ShownVerdict>();
  for await (const items of list<VerdictEntry>("/resources/verdicts", options)) {
    for (const item of items) if (ids.has(item.id)) verdicts.set(item.id, joined(undefined, item));
  }
  show({ status: "ready", entries, verdicts });
}
