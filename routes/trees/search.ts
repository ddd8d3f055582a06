import type { Context } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { search } from "../../core/tree/search.ts";
import * as v from "valibot";
import {
  type NumberRange,
  parseCountRange,
  parseTimeRange,
  SEARCH_KINDS,
  SEARCH_ORDERS,
  SearchSort,
} from "../../schemas/search.ts";
import { type Verdict, VERDICTS } from "../../schemas/verdict_names.ts";
import { compressed } from "../reply/envelope.ts";
import { foundOf } from "../reply/verdicts.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { isTrue, pageOf, parseQuery, type Query, wantsAll, wordOf } from "../request/query.ts";
import { callerOf } from "../serving/auth.ts";

const Kind = v.picklist(SEARCH_KINDS);

/** `GET /resources/search` (C 24, C 29). */
export async function searchResources(
  c: Context<AppEnvironment>,
  tree: Tree,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const { items, next = null, isComplete, facets = null } = await search(tree, {
    caller: callerOf(c),
    words: query.get("q")?.[0] ?? "",
    path: query.get("path")?.[0] ?? "",
    kind: wordOf(query, "kind", Kind),
    formats: query.get("format"),
    architectures: query.get("architecture"),
    licenses: query.get("license"),
    dtypes: query.get("dtype"),
    baseModels: query.get("base_model"),
    tags: query.get("tag"),
    verdicts: query.get("verdict")?.map(verdictOf),
    parameters: rangeOf(query, "parameters", parseCountRange, "1e9..8e9, 7B.. or ..350M"),
    updated: rangeOf(query, "updated", parseTimeRange, "2026-11-01..2026-11-22 or 2026-11-22.."),
    all: wantsAll(query),
    sort: sortOf(query),
    wantsFacets: isTrue(query, "facets"),
    wantsKnown: isTrue(query, "known"),
    after: query.get("after")?.[0],
    limit: pageOf(query).limit,
  });
  return compressed(c, {
    items: items.map(foundOf),
    total: items.length,
    next,
    complete: isComplete,
    facets,
  });
}

function sortOf(query: Query) {
  const sort = wordOf(query, "sort", SearchSort);
  const by = SEARCH_ORDERS.find((it) => sort === it || sort === `-${it}`);
  return by && { by, isDescending: sort !== by };
}

function verdictOf(text: string): Verdict {
  const verdict = VERDICTS.find((it) => it === text);
  if (verdict !== undefined) return verdict;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid verdict ${quoted(text)}: expected one of ${VERDICTS.join(", ")}`,
  );
}

function rangeOf(
  query: Query,
  name: string,
  parse: (text: string) => NumberRange | undefined,
  examples: string,
): NumberRange | undefined {
  const text = query.get(name)?.[0];
  if (text === undefined) return undefined;
  const range = parse(text);
  if (range !== undefined) return range;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${name} ${quoted(text)}: expected a range such as ${examples}`,
  );
}
