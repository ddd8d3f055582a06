import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import type { Tree } from "../tree/changes.ts";
import { move } from "../tree/move.ts";
import { ofRepository } from "./delete_repository.ts";
import type { Repository } from "./repository.ts";

/** A repository, and the name that it is to get. */
export interface MoveRepositoryRequest {
  readonly caller: Caller;
  readonly from: Repository;
  readonly to: Repository;
}

/**
 * Gives a repository another name (C 31). The former one does not lead to it.
 *
 * @returns What was changed. The caller releases the records.
 * @throws {AppError} `ErrHubRepositoryNotFound`, `ErrResourcesAlreadyExists` when there is a repository with
 *   the name, `ErrResourcesConflict` when a file is in the way, `ErrResourcesInvalidRequest` when both are one.
 */
export function moveRepository(
  tree: Tree,
  { caller, from, to }: MoveRepositoryRequest,
): Promise<ChangeSet> {
  return ofRepository(from, (requireDirectory) =>
    move(tree, {
      caller,
      sources: [from.directory],
      destination: to.directory,
      force: false,
      requirePlacement: ({ source, target }) => {
        requireDirectory(source);
        // A move to a directory that exists is one into it.
        if (target === to.directory) return;
        throw new AppError("ErrResourcesAlreadyExists", `The repository ${to.id} exists already`);
      },
    }));
}
