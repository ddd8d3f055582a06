import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import type { RepositoryKind } from "../../core/hub/repository.ts";
import { listRepositories } from "../../core/hub/repository_list.ts";
import type { ListedRepository } from "../../core/hub/store.ts";
import { callerOf } from "../auth.ts";
import { parseQuery, type Query } from "../query.ts";
import type { Services } from "../route.ts";
import type { Mount } from "./hub_route.ts";
import { cursorOf, linkTo, pageSizeOf } from "./query.ts";
import { type Handled, hubJson } from "./replies.ts";

/** The parameters that say which repositories are wanted, or in which order. Others ask for more of each. */
const UNSUPPORTED = [
  "apps",
  "benchmark",
  "dataset_name",
  "filter",
  "gated",
  "inference",
  "inference_provider",
  "num_parameters",
  "pipeline_tag",
  "sort",
  "direction",
];

/** `GET /api/models` and `/api/datasets` (C 20). */
export async function showRepositories(
  c: Handled,
  { hub, publicUrl }: Services,
  { kind, base }: Mount,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  refuseUnsupported(query);
  const [author, search] = ["author", "search"].map((name) => query.get(name)?.[0]);
  const after = cursorOf(query);
  const limit = pageSizeOf(query);
  const request = { caller: callerOf(c), kind, author, search, after, limit };
  const { repositories, next } = await listRepositories(hub, request);
  const items = repositories.map((repository) => summaryOf(kind, repository));
  if (next === undefined) return hubJson(c, items);
  const link = linkTo(`${publicUrl.for(c)}${base}/api/${kind}`, {
    ...(author !== undefined && { author }),
    ...(search !== undefined && { search }),
    limit: String(limit),
    cursor: next,
  });
  return hubJson(c, items, { Link: link });
}

/** What the clients expect of a repository, besides its state. */
export function summaryOf(kind: RepositoryKind, { id, createdAt, updatedAt }: ListedRepository) {
  return {
    _id: id,
    id,
    ...(kind === "models" && { modelId: id }),
    author: id.slice(0, id.indexOf("/")),
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
    `Unsupported parameter ${unsupported}: expected author, search or limit`,
  );
}
