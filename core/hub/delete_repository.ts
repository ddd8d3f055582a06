import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import type { Tree } from "../tree/changes.ts";
import { remove } from "../tree/remove.ts";
import { type Repository, repositoryNotFound } from "./repository.ts";

/**
 * Deletes the directory of a repository with all that is below it (C 31).
 *
 * @returns What was deleted. The caller releases the records.
 * @throws {AppError} `ErrHubRepositoryNotFound`.
 */
export function deleteRepository(
  tree: Tree,
  { caller, repository }: { readonly caller: Caller; readonly repository: Repository },
): Promise<ChangeSet> {
  return ofRepository(repository, (requireDirectory) =>
    remove(tree, {
      caller,
      paths: [repository.directory],
      requireCondition: requireDirectory,
    }));
}

/**
 * Runs work on the record of a repository, and words what that misses.
 *
 * @param work Receives what throws if a record is no directory.
 * @throws {AppError} `ErrHubRepositoryNotFound`, and what `work` throws.
 */
export async function ofRepository<T>(
  repository: Repository,
  work: (requireDirectory: (found: ResourceRecord) => void) => Promise<T>,
): Promise<T> {
  try {
    return await work(({ isDir }) => {
      if (!isDir) throw repositoryNotFound(repository);
    });
  } catch (error) {
    const isMissing = error instanceof AppError && error.kind === "ErrResourcesNotFound";
    throw isMissing ? repositoryNotFound(repository) : error;
  }
}
