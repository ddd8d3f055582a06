import { type Caller, ownerOf } from "../caller.ts";
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
 * than `limit`, even none, and another one after it: only `limit` are looked at.
 */
export async function listRepositories(
  { store }: Hub,
  { caller, kind, author, search = "", after, limit }: RepositoriesRequest,
): Promise<RepositoriesPage> {
  if (author !== undefined && !isNamespace(author)) return { repositories: [], next: undefined };
  const wanted = search.toLowerCase();
  const found = await store.repositories({
    userId: ownerOf(caller),
    root: kind,
    namespace: author,
    after,
    limit,
  });
  return {
    repositories: found.filter(({ id }) => isRepositoryId(id) && id.toLowerCase().includes(wanted)),
    next: found.length < limit ? undefined : found.at(-1)?.id,
  };
}
