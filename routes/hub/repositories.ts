import { type Chunk, joinChunks } from "../../core/content.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { type RepositoryKind, repositoryNamed } from "../../core/hub/repository.ts";
import { detailsOf, type RepositoryDetails } from "../../core/hub/repository_details.ts";
import { listRepositories } from "../../core/hub/repository_list.ts";
import { sortedRepositories, type SortedRequest } from "../../core/hub/sorted_list.ts";
import { parentOf } from "../../core/paths.ts";
import { type NumberRange, parseCountRange } from "../../schemas/search.ts";
import type { ListedRepository } from "../../core/hub/store.ts";
import { callerOf } from "../serving/auth.ts";
import { parseQuery, type Query } from "../request/query.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { cursorOf, flagOf, linkTo, MAX_PAGE_RECORDS, pageSizeOf } from "./query.ts";
import { type Handled, hubBytes } from "./replies.ts";

/** The parameters that say which repositories are wanted. Others ask for more of each. */
const UNSUPPORTED = [
  "apps",
  "benchmark",
  "dataset_name",
  "gated",
  "inference",
  "inference_provider",
];

/** What lists are sorted by. What is not counted is the same for all, so that they stay in the order of names. */
const SORTED_BY: Readonly<Record<string, SortedRequest["by"] | "name">> = {
  lastModified: "updatedAt",
  last_modified: "updatedAt",
  createdAt: "createdAt",
  created_at: "createdAt",
  downloads: "name",
  likes: "name",
  trendingScore: "name",
  trending_score: "name",
};

/** How many repositories a page has with their files, at most. */
const MAX_DETAILED = 50;

/** The parameters that the next page has, too. */
const KEPT = ["author", "search", "sort", "direction", "filter", "pipeline_tag", "num_parameters"];

const encoder = new TextEncoder();

/** `GET /api/models` and `/api/datasets` (C 20, C 31). */
export async function showRepositories(
  c: Handled,
  { hub, publicUrl }: Services,
  { kind, base }: Mount,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  refuseUnsupported(query);
  const [author, search] = ["author", "search"].map((name) => query.get(name)?.[0]);
  const after = cursorOf(query);
  const isFull = wantsDetails(query);
  const limit = Math.min(pageSizeOf(query), isFull ? MAX_DETAILED : MAX_PAGE_RECORDS);
  const request = {
    ...{ caller: callerOf(c), kind, author, search, after, limit },
    tags: [...query.get("filter") ?? [], ...query.get("pipeline_tag") ?? []]
      .flatMap((it) => it.split(",")).filter((it) => it !== ""),
    parameters: parametersOf(query),
  };
  const { by, isDescending } = orderOf(query);
  const { repositories, next } = by === "name"
    ? await listRepositories(hub, request)
    : await sortedRepositories(hub, { ...request, by, isDescending });
  const items: Chunk[] = [];
  for (const listed of repositories) {
    if (items.length > 0) items.push(encoder.encode(","));
    const details = isFull
      ? await detailsOf(hub, repositoryNamed(callerOf(c), { kind, id: listed.id }))
      : undefined;
    items.push(...itemOf(kind, listed, details));
  }
  const bytes = joinChunks([encoder.encode("["), ...items, encoder.encode("]")]);
  if (next === undefined) return hubBytes(c, bytes);
  const kept = KEPT.flatMap((name): [string, string][] => {
    const value = query.get(name)?.join(",");
    return value === undefined ? [] : [[name, value]];
  });
  const link = linkTo(`${publicUrl.for(c)}${base}/api/${kind}`, {
    ...Object.fromEntries(kept),
    ...(isFull && { full: "true" }),
    limit: String(limit),
    cursor: next,
  });
  return hubBytes(c, bytes, { Link: link });
}

/** A number of parameters, as the clients write it: `min:6B,max:8B`, of which one may be left out. */
function parametersOf(query: Query): NumberRange | undefined {
  const text = query.get("num_parameters")?.[0];
  if (text === undefined) return undefined;
  const ends = new Map(
    text.split(",").map((it) => {
      const [name = "", ...value] = it.split(":");
      return [name, value.join(":")];
    }),
  );
  const range = parseCountRange(`${ends.get("min") ?? ""}..${ends.get("max") ?? ""}`);
  if (range !== undefined) return range;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid num_parameters ${quoted(text)}: expected a range such as min:6B,max:8B`,
  );
}

/** Whether each repository is to have its commit id and its files. */
function wantsDetails(query: Query): boolean {
  const expanded = query.get("expand") ?? query.get("expand[]") ?? [];
  return flagOf(query, "full") || expanded.some((name) => ["siblings", "sha"].includes(name));
}

function orderOf(query: Query): { by: SortedRequest["by"] | "name"; isDescending: boolean } {
  const sort = query.get("sort")?.[0] ?? "likes";
  const direction = query.get("direction")?.[0] ?? "-1";
  const by = Object.hasOwn(SORTED_BY, sort) ? SORTED_BY[sort] : undefined;
  if (by === undefined) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid sort ${quoted(sort)}: expected createdAt or lastModified`,
    );
  }
  if (direction === "-1" || direction === "1") return { by, isDescending: direction === "-1" };
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid direction ${quoted(direction)}: expected 1 or -1`,
  );
}

/** The JSON of a repository of a list. */
function itemOf(
  kind: RepositoryKind,
  listed: ListedRepository,
  details: RepositoryDetails | undefined,
): Chunk[] {
  if (details === undefined) return [encoder.encode(JSON.stringify(summaryOf(kind, listed)))];
  const { commitId, modifiedAt, siblings } = details;
  const updatedAt = Math.max(listed.updatedAt, modifiedAt);
  const fields = { ...summaryOf(kind, { ...listed, updatedAt }), sha: commitId };
  const text = JSON.stringify(fields);
  if (siblings === undefined) return [encoder.encode(text)];
  return [
    encoder.encode(`${text.slice(0, -1)},"siblings":[`),
    siblings.subarray(1),
    encoder.encode("]}"),
  ];
}

/** What the clients expect of a repository, besides its state. */
export function summaryOf(kind: RepositoryKind, { id, createdAt, updatedAt }: ListedRepository) {
  return {
    _id: id,
    id,
    ...(kind === "models" && { modelId: id }),
    author: parentOf(id),
    createdAt: isoTime(createdAt),
    lastModified: isoTime(updatedAt),
    private: true,
    gated: false,
    disabled: false,
    downloads: 0,
    likes: 0,
    tags: [],
  };
}

function refuseUnsupported(query: Query): void {
  const unsupported = UNSUPPORTED.find((name) => query.has(name));
  if (unsupported === undefined) return;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Unsupported parameter ${unsupported}: expected author, search, filter, num_parameters, sort, direction, ` +
      "limit or full",
  );
}
