/** What searches take and return (C 29), besides the records themselves. */

import * as v from "valibot";
import { parseTime } from "./units.ts";

/** The kinds of what can be found. */
export const SEARCH_KINDS = ["file", "model", "dataset"] as const;
export type SearchKind = typeof SEARCH_KINDS[number];

/** What can be sorted by; with `-` before it, but for paths, the greatest first. */
export const SEARCH_ORDERS = ["path", "updated", "parameters", "size"] as const;
export type SearchOrder = typeof SEARCH_ORDERS[number];

/** The parameter `sort`. */
export const SearchSort = v.picklist(
  SEARCH_ORDERS.flatMap((by): (SearchOrder | `-${SearchOrder}`)[] =>
    by === "path" ? [by] : [by, `-${by}`]
  ),
);

/** By what facets count. */
export const FACETS = [
  "kind",
  "format",
  "architecture",
  "license",
  "dtype",
  "base_model",
  "library",
  "task",
  "parameters",
] as const;
export type Facet = typeof FACETS[number];

/** Where the ranges begin by which numbers of parameters are counted. */
export const PARAMETER_RANGES = [0, 1e7, 1e8, 1e9, 3e9, 9e9, 20e9, 50e9, 100e9] as const;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** How many of all that is found have which values. */
export const SearchFacets = v.object({
  matches: v.pipe(count, v.description("How many are found on all pages")),
  ...v.entriesFromList(
    FACETS,
    v.pipe(
      v.array(v.object({ value: v.string(), count })),
      v.description(
        "The 20 values that most have; of parameters, ranges as the parameter takes them",
      ),
    ),
  ),
});
export type SearchFacets = v.InferOutput<typeof SearchFacets>;

/** From which number to which; both count. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

const COUNT = /^(\d{1,16}(?:\.\d{1,6})?)(?:e(\d{1,2}))?([kmbt])?$/i;
const COUNT_FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, b: 1e9, t: 1e12 };

/** The range of a text such as `1e9..8e9`, `7B..` or `..350M`; undefined for other text. */
export function parseCountRange(text: string): NumberRange | undefined {
  return parseRange(text, (it) => {
    const [, number = "", exponent = "0", unit = ""] = COUNT.exec(it) ?? [];
    const factor = COUNT_FACTORS[unit.toLowerCase()];
    if (number === "" || factor === undefined) return undefined;
    const count = Math.round(Number(number) * 10 ** Number(exponent) * factor);
    return Number.isSafeInteger(count) ? { min: count, max: count } : undefined;
  });
}

const DAY_MS = 24 * 60 * 60_000;

/**
 * The milliseconds since the Unix epoch of a text such as `2026-11-01..2026-11-22`, whose days count as a whole in UTC, or
 * of RFC 3339 times; undefined for other text.
 */
export function parseTimeRange(text: string): NumberRange | undefined {
  return parseRange(text, (it) => {
    const time = parseTime(it);
    if (time !== undefined) return { min: time, max: time };
    const day = parseTime(`${it}T00:00:00Z`);
    return day === undefined ? undefined : { min: day, max: day + DAY_MS - 1 };
  });
}

/** Two ends, of which one may be left out, or one value. */
function parseRange(
  text: string,
  parse: (end: string) => NumberRange | undefined,
): NumberRange | undefined {
  const [first = "", last = first, ...others] = text.split("..");
  if (others.length > 0 || first === "" && last === "") return undefined;
  const min = first === "" ? 0 : parse(first)?.min;
  const max = last === "" ? Number.MAX_SAFE_INTEGER : parse(last)?.max;
  return min === undefined || max === undefined || min > max ? undefined : { min, max };
}
