import { ownerOf } from "../caller.ts";
import { AppError, quoted, RetryLater } from "../errors.ts";
import type { Hub } from "./repository.ts";
import {
  listRepositories,
  type RepositoriesPage,
  type RepositoriesRequest,
} from "./repository_list.ts";
import type { ListedRepository } from "./store.ts";

/** The most repositories that are sorted: each request looks at all of them. */
const MAX_SORTED = 1000;

const CURSOR = /^(\d{1,16})\/(.+)$/s;

/** A request for a list of repositories by a time. */
export interface SortedRequest extends RepositoriesRequest {
  readonly by: "createdAt" | "updatedAt";
  readonly isDescending: boolean;
}

/** Where a repository is in a sorted list. */
interface Position {
  readonly time: number;
  readonly id: string;
}

/**
 * The repositories of the tree that the caller acts in, by the time at which they were made or a file of them
 * was last changed (C 31). A page begins after the position at which the one before ends, whatever has
 * changed since.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when there are too many to sort, or nothing has the position.
 */
export async function sortedRepositories(
  hub: Hub,
  request: SortedRequest,
): Promise<RepositoriesPage> {
  const { by, isDescending, after, limit } = request;
  const all = await listRepositories(hub, {
    ...request,
    after: undefined,
    limit: MAX_SORTED + 1,
  });
  if (all.next !== undefined) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot sort more than ${MAX_SORTED} repositories: name an author, or leave out sort`,
    );
  }
  const repositories = by === "createdAt"
    ? all.repositories
    : await withChanges(hub, request, all.repositories);
  const start = after === undefined ? undefined : positionOf(after);
  const found = repositories.map((repository) => ({
    repository,
    position: { time: repository[by], id: repository.id },
  }))
    .filter(({ position }) => start === undefined || compare(position, start, isDescending) > 0)
    .sort((a, b) => compare(a.position, b.position, isDescending));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1)?.position : undefined;
  return {
    repositories: page.map(({ repository }) => repository),
    next: last && `${last.time}/${last.id}`,
  };
}

/** The repositories with the time at which something in each was last changed. */
async function withChanges(
  { revisions }: Hub,
  { caller, kind }: SortedRequest,
  repositories: readonly ListedRepository[],
): Promise<ListedRepository[]> {
  const userId = ownerOf(caller);
  const found: ListedRepository[] = [];
  // One after the other: to list the files of one lets others read in between.
  for (const repository of repositories) {
    const { id, updatedAt } = repository;
    const modifiedAt = await revisions.of({ userId, directory: `${kind}/${id}` }).then(
      (revision) => revision.modifiedAt,
      (error) => {
        // Its commit id is not known yet.
        if (error instanceof RetryLater) return 0;
        throw error;
      },
    );
    found.push({ ...repository, updatedAt: Math.max(updatedAt, modifiedAt) });
  }
  return found;
}

function positionOf(cursor: string): Position {
  const [, time, id] = CURSOR.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined) return { time: Number(time), id };
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid cursor ${quoted(cursor)}: expected that of the page before`,
  );
}

/** By time, then by name. */
function compare(a: Position, b: Position, isDescending: boolean): number {
  const byTime = isDescending ? b.time - a.time : a.time - b.time;
  return byTime !== 0 ? byTime : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
