import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { BY_CONCERN } from "../ui/verdict.ts";
import type { ShownVerdict } from "./shown_verdict.ts";

/** The order of a listing. */
export interface Order {
  /** By `path`, directories are not first. */
  readonly by: "name" | "path" | "verdict" | "size" | "updated";
  readonly isDescending: boolean;
}

type Compare = (a: ResourceEntry, b: ResourceEntry) => number;

/** In bytes: of a directory, with all below it as far as that is known. */
function sizeOf(
  { id, is_dir: isDir, size }: ResourceEntry,
  verdicts: ReadonlyMap<number, ShownVerdict>,
): number {
  return isDir ? verdicts.get(id)?.size ?? 0 : size;
}

/** Comparing by a collator takes too long for more. */
const MAX_COLLATED = 10_000;
const collator = new Intl.Collator("en-US", { numeric: true });

/** Compares so many names. */
export function nameOrder(count: number): (a: string, b: string) => number {
  return count > MAX_COLLATED ? (a, b) => a < b ? -1 : a > b ? 1 : 0 : collator.compare;
}

/** Entries in an order: directories first, then by the column, then by name. Sorts the array itself. */
export function sorted(
  entries: ResourceEntry[],
  { by, isDescending }: Order,
  verdicts: ReadonlyMap<number, ShownVerdict>,
): ResourceEntry[] {
  if (by === "path") return entries.sort((a, b) => a.path < b.path ? -1 : 1);
  const compareNames = nameOrder(entries.length);
  const byName: Compare = (a, b) => compareNames(a.name, b.name);
  const compare = comparison(by, byName, verdicts);
  const sign = isDescending ? -1 : 1;
  return entries.sort((a, b) =>
    Number(b.is_dir) - Number(a.is_dir) || sign * compare(a, b) || byName(a, b)
  );
}

function comparison(
  by: Exclude<Order["by"], "path">,
  byName: Compare,
  verdicts: ReadonlyMap<number, ShownVerdict>,
): Compare {
  switch (by) {
    case "name":
      return byName;
    case "size":
      return (a, b) => sizeOf(a, verdicts) - sizeOf(b, verdicts);
    case "updated":
      return (a, b) => a.updated_at < b.updated_at ? -1 : a.updated_at > b.updated_at ? 1 : 0;
    case "verdict": {
      const rank = ({ id }: ResourceEntry) =>
        BY_CONCERN.indexOf(verdicts.get(id)?.verdict ?? "unscanned");
      return (a, b) => rank(a) - rank(b);
    }
  }
}
