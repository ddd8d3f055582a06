import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import { changesOf } from "../tree/change_set.ts";
import { commit, type Tree } from "../tree/changes.ts";
import { chainOf, missingDirectories } from "../tree/directories.ts";
import { withinQuota } from "../tree/quota.ts";
import type { Repository } from "./repository.ts";

/**
 * Makes the directory of a repository, and those above it (C 20).
 *
 * @throws {AppError} `ErrResourcesAlreadyExists` when the repository exists, `ErrResourcesInvalidRequest`
 *   when a file is in the way.
 */
export async function createRepository(
  tree: Tree,
  { caller, repository }: { readonly caller: Caller; readonly repository: Repository },
): Promise<void> {
  const { userId, directory, id } = repository;
  await commit(
    tree,
    (transaction) =>
      withinQuota(tree, { caller, verb: "create a repository", transaction }, async () => {
        const existing = await transaction.findByPath(
          { userId, everyone: false },
          chainOf(directory),
        );
        const missing = missingDirectories({
          userId,
          path: directory,
          now: Date.now(),
          errorKind: "ErrResourcesInvalidRequest",
        }, existing);
        if (missing.length === 0) {
          throw new AppError("ErrResourcesAlreadyExists", `The repository ${id} exists already`);
        }
        return [changesOf("added", await transaction.insert(missing))];
      }),
    { caller },
  );
}
