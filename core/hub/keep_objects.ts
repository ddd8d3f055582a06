import type { Caller } from "../caller.ts";
import type { LfsPointer } from "../lfs_objects.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import { applyCommit } from "./commit.ts";
import { KEPT_DIRECTORY } from "./kept_directory.ts";
import type { HubService } from "./ports.ts";
import type { Repository } from "./repository.ts";

/** Content of the tree, in a file or waiting, for a repository to keep. */
export interface KeepRequest {
  readonly caller: Caller;
  readonly repository: Repository;
  readonly objects: readonly LfsPointer[];
}

/**
 * Makes content that Git has sent, or need not send, files of a repository: no commit of the hub follows, and
 * a clone asks for it as long as the Git repository exists, whatever becomes of other files (C 20).
 *
 * @returns What was added. The caller releases the records.
 * @throws {AppError} `ErrResourcesInvalidData` when content is neither there nor waiting,
 *   `ErrHubRepositoryNotFound`, `ErrResourcesQuotaExceeded`.
 */
export function keepObjects(
  hub: HubService,
  { caller, repository: { directory }, objects }: KeepRequest,
): Promise<ChangeSet> {
  const lfsFiles = objects.map(({ sha256, size }) => ({
    path: `${directory}/${KEPT_DIRECTORY}/${sha256}`,
    sha256,
    size,
  }));
  return applyCommit(
    hub,
    { caller, directory },
    { plan: () => Promise.resolve({ staged: [], lfsFiles, copies: [], deletions: [] }) },
  );
}
