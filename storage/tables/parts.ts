import { isTurnOver, takeTurn } from "../../core/event_loop.ts";

/** How many items travel to the database and back at once: some milliseconds of the serving thread. */
const MAX_PART_ITEMS = 500;

/** The items in parts, one after the other, each in a turn of the event loop that has time for it. */
export async function* partsOf<Item>(
  items: readonly Item[],
): AsyncGenerator<readonly Item[], void> {
  if (items.length <= MAX_PART_ITEMS) return yield items;
  for (let start = 0; start < items.length; start += MAX_PART_ITEMS) {
    if (isTurnOver()) await takeTurn();
    yield items.slice(start, start + MAX_PART_ITEMS);
  }
}

/** What `work` returns for the parts of the items, in order. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  work: (part: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  // Begins at once, so that it travels with other calls.
  if (items.length <= MAX_PART_ITEMS) return [...await work(items)];
  const results: Result[] = [];
  for await (const part of partsOf(items)) results.push(...await work(part));
  return results;
}

/** The entries of the maps that `work` returns for the parts of the items. */
export async function mapInParts<Item, Key, Value>(
  items: readonly Item[],
  work: (part: readonly Item[]) => Promise<Map<Key, Value>>,
): Promise<Map<Key, Value>> {
  if (items.length <= MAX_PART_ITEMS) return await work(items);
  return new Map(await inParts(items, async (part) => [...await work(part)]));
}
