import * as v from "valibot";
import { compareBytewise } from "../../core/paths.ts";
import type { SearchPage, SearchQuery } from "../../core/search.ts";
import { Facts } from "../../schemas/facts.ts";
import { type Facet, FACETS, PARAMETER_RANGES } from "../../schemas/search.ts";
import { KIND } from "./search_conditions.ts";
import { foundIn, type Part } from "./search_part.ts";

/** How many values of a facet are counted. */
const MAX_VALUES = 20;

/** The facts that are counted. */
const Counted = v.pick(Facts, [
  "format",
  "architecture",
  "license",
  "spdx_license",
  "dtypes",
  "base_models",
  "library",
  "task",
  "parameters",
]);
type Counted = v.InferOutput<typeof Counted>;
const COUNTED = Object.keys(Counted.entries);

const Picked = v.array(v.unknown());

/** All that is found: how many have which values, and which ids come first in the order of a search. */
export interface Counts {
  readonly facets: SearchPage["facets"];
  /** Of the page, and of the record after it, if there is one. */
  readonly ids: readonly number[];
}

/** Looks once at all that a part has, counts it, and finds what is on the page. */
export async function countFound(part: Part, sortKey: string): Promise<Counts> {
  const { source, engine: { dialect }, request } = part;
  const { sql, parameters } = foundIn(part);
  // Facts are long, and are read once. Sorting rows with them takes an engine longer than counting them here.
  const rows = await source.values(
    `SELECT id, path, ${sortKey} AS sort_key, ${KIND} AS kind,
       ${dialect.pick("item.facts", COUNTED)} AS picked
     FROM (${sql}) AS item`,
    parameters,
  );
  const groups = new Map<string, number>();
  const found: Place[] = [];
  for (const [id, path, key, kind, picked] of rows) {
    const group = `${kind ?? ""}${picked ?? "[]"}`;
    groups.set(group, (groups.get(group) ?? 0) + 1);
    found.push({ id: Number(id), path: String(path), key: Number(key) });
  }
  return { facets: facetsOf(groups), ids: pageOf(found, request) };
}

interface Place {
  readonly id: number;
  readonly path: string;
  readonly key: number;
}

/** The ids of a page in its order, and of the record after it. */
function pageOf(found: readonly Place[], { sort, after, limit }: SearchQuery): number[] {
  const sign = sort.isDescending ? -1 : 1;
  const [key = 0, id = 0] = after.split("/").map(Number);
  const start = { id, path: after, key };
  const compare = sort.by === "path"
    ? (a: Place, b: Place) => compareBytewise(a.path, b.path)
    : (a: Place, b: Place) => sign * (a.key - b.key || a.id - b.id);
  const left = after === "" ? found : found.filter((it) => compare(it, start) > 0);
  return left.toSorted(compare).slice(0, limit + 1).map((it) => it.id);
}

/** @param groups How many have each kind, followed by the list of what is counted. */
function facetsOf(groups: ReadonlyMap<string, number>): SearchPage["facets"] {
  const counts = new Map(FACETS.map((facet) => [facet, new Map<string, number>()]));
  let matches = 0;
  for (const [group, files] of groups) {
    matches += files;
    const start = group.indexOf("[");
    const kind = group.slice(0, start);
    const all = {
      ...valuesOf(countedOf(group.slice(start))),
      kind: kind === "" ? [] : [kind],
    };
    for (const facet of FACETS) {
      const counted = counts.get(facet);
      for (const value of new Set(all[facet])) {
        counted?.set(value, (counted.get(value) ?? 0) + files);
      }
    }
  }
  const most = (facet: Facet) =>
    [...counts.get(facet) ?? []].map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || compareBytewise(a.value, b.value))
      .slice(0, MAX_VALUES);
  return {
    matches,
    kind: most("kind"),
    format: most("format"),
    architecture: most("architecture"),
    license: most("license"),
    dtype: most("dtype"),
    base_model: most("base_model"),
    library: most("library"),
    task: most("task"),
    parameters: most("parameters"),
  };
}

/** The facts whose values are in a list, NULL for those that are not known. */
function countedOf(picked: string): Counted {
  const values = v.parse(Picked, JSON.parse(picked));
  const known = COUNTED.map((name, index) => [name, values[index] ?? undefined]);
  return v.parse(Counted, Object.fromEntries(known));
}

/** The values that count. A license is named by its SPDX identifier, or as authors name it. */
function valuesOf(facts: Counted): Readonly<Record<Exclude<Facet, "kind">, readonly string[]>> {
  const listed = (value: string | undefined) => value === undefined ? [] : [value];
  return {
    format: listed(facts.format),
    architecture: listed(facts.architecture),
    license: listed(facts.spdx_license ?? facts.license),
    dtype: Object.keys(facts.dtypes ?? {}),
    base_model: facts.base_models ?? [],
    library: listed(facts.library),
    task: listed(facts.task),
    parameters: listed(facts.parameters === undefined ? undefined : rangeOf(facts.parameters)),
  };
}

/** The range that a number of parameters is in, as {@link parseCountRange} reads it. */
function rangeOf(parameters: number): string {
  const index = PARAMETER_RANGES.findLastIndex((min) => parameters >= min);
  const next = PARAMETER_RANGES[index + 1];
  return `${PARAMETER_RANGES[index]}..${next === undefined ? "" : next - 1}`;
}
