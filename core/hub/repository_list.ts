import type { NumberRange } from "../../schemas/search.ts";
import { type Caller, ownerOf } from "../caller.ts";
import { search } from "../tree/search.ts";
import { type Hub, isNamespace, isRepositoryId, type RepositoryKind } from "./repository.ts";
import type { ListedRepository } from "./store.ts";

/** A request for a list of repositories. */
export interface RepositoriesRequest {
  readonly caller: Caller;
  readonly kind: RepositoryKind;
  /** Only those of a namespace. */
  readonly author?: string | undefined;
  /** Only those whose name has this, in upper or lower case. */
  readonly search?: string | undefined;
  /** Only those whose facts have all these tags. @default none */
  readonly tags?: readonly string[];
  /** Only those with so many parameters. @default any number, or none */
  readonly parameters?: NumberRange | undefined;
  /** Only those after this one, `namespace/name`. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list of repositories. */
export interface RepositoriesPage {
  readonly repositories: readonly ListedRepository[];
  /** After which one the next page begins, if there may be one. */
  readonly next: string | undefined;
}

/**
 * The repositories of the tree that the caller acts in, by namespace and name (C 20). A page may have fewer
 * than `limit`, even none, and another one after it: only so many are looked at.
 */
export async function listRepositories(
  hub: Hub,
  request: RepositoriesRequest,
): Promise<RepositoriesPage> {
  const { author, tags = [], parameters } = request;
  if (author !== undefined && !isNamespace(author)) return { repositories: [], next: undefined };
  const wanted = (request.search ?? "").toLowerCase();
  const { repositories, next } = tags.length > 0 || parameters !== undefined
    ? await foundByFacts(hub, request)
    : await allOf(hub, request);
  return {
    repositories: repositories
      .filter(({ id }) => isRepositoryId(id) && id.toLowerCase().includes(wanted)),
    next,
  };
}

async function allOf(
  { store }: Hub,
  { caller, kind, author, after, limit }: RepositoriesRequest,
): Promise<RepositoriesPage> {
  const found = await store.repositories({
    userId: ownerOf(caller),
    root: kind,
    namespace: author,
    after,
    limit,
  });
  return {
    repositories: found,
    next: found.length < limit ? undefined : found.at(-1)?.id,
  };
}

/** Those that a search for facts finds (C 29), in the order of their paths. */
async function foundByFacts(
  { tree }: Hub,
  { caller, kind, author, tags, parameters, after, limit }: RepositoriesRequest,
): Promise<RepositoriesPage> {
  const { items, next } = await search(tree, {
    caller,
    words: "",
    path: author === undefined ? kind : `${kind}/${author}`,
    level: author === undefined ? 2 : 1,
    ...tags !== undefined && tags.length > 0 && { tags },
    parameters,
    after: after && `${kind}/${after}`,
    limit,
  });
  return {
    repositories: items.map(({ record: { path, createdAt, updatedAt } }) => ({
      id: path.slice(kind.length + 1),
      createdAt,
      updatedAt,
    })),
    next: next?.slice(kind.length + 1),
  };
}
