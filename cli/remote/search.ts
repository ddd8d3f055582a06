import type { ParseArgsOptionsConfig } from "node:util";
import { type FoundEntry, FoundList } from "../../schemas/verdicts.ts";
import { UsageError } from "../usage_error.ts";
import type { Connection, Query } from "./connection.ts";

/** How many entries are asked for at once. */
const PAGE = "1000";

/** The conditions that the server decides on, as options. The names of its parameters have no hyphens. */
export const SEARCH_OPTIONS = {
  text: { type: "string" },
  kind: { type: "string" },
  format: { type: "string", multiple: true },
  architecture: { type: "string", multiple: true },
  license: { type: "string", multiple: true },
  parameters: { type: "string" },
  dtype: { type: "string", multiple: true },
  "base-model": { type: "string", multiple: true },
  tag: { type: "string", multiple: true },
  verdict: { type: "string", multiple: true },
  updated: { type: "string" },
  sort: { type: "string" },
} as const satisfies ParseArgsOptionsConfig;

type SearchValues = { readonly [Name in keyof typeof SEARCH_OPTIONS]?: string | string[] };

/**
 * The query of a search; undefined if no condition of it is given.
 *
 * @throws {UsageError} when a condition is empty.
 */
export function searchQuery(values: SearchValues): Query | undefined {
  const given = Object.keys(SEARCH_OPTIONS)
    .flatMap((name) => {
      const value = Object.entries(values).find(([key]) => key === name)?.[1];
      if (value === undefined) return [];
      if ([value].flat().some((it) => it.trim() === "")) {
        throw new UsageError(`--${name} must say what to look for, not ""`);
      }
      return [[NAMES[name] ?? name, value] as const];
    });
  return given.every(([name]) => name === "sort") ? undefined : Object.fromEntries(given);
}

const NAMES: Readonly<Record<string, string>> = { text: "q", "base-model": "base_model" };

/**
 * What a search finds, page by page.
 *
 * @param onIncomplete Called if facts of directories are not up to date.
 */
export async function* searching(
  connection: Connection,
  query: Query,
  onIncomplete: () => void,
): AsyncGenerator<readonly FoundEntry[]> {
  let isComplete = true;
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: FoundList = await connection.json(FoundList, "GET", "/resources/search", {
      query: { ...query, limit: PAGE, after },
    });
    yield page.items;
    isComplete &&= page.complete;
    after = page.next ?? undefined;
  }
  if (!isComplete) onIncomplete();
}
