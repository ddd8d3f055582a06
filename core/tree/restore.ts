import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { At } from "../history.ts";
import { sanitizePath } from "../paths.ts";
import type { ChangeSet } from "./change_set.ts";
import type { Tree } from "./changes.ts";
import { changesOfCopy } from "./copy.ts";
import { transfer } from "./transfer.ts";
import { historyOf } from "./tree_log.ts";

/** A request to bring back what was at a path (C 26). */
export interface RestoreRequest {
  readonly caller: Caller;
  readonly path: string;
  readonly at: At;
  /** As that of a copy. @default the path */
  readonly destination?: string | undefined;
  /** Whether existing files may be replaced and existing directories merged. */
  readonly force: boolean;
}

/**
 * Brings back the file or directory that was at a path at a version of the tree, as one change: a copy of what was,
 * with the rules and the changes of a copy (RS 4.5, C 7). Content is shared.
 *
 * @throws {AppError} `ErrVersionsNotFound` when the version is not kept, `ErrResourcesNotFound` when it has nothing
 *   at the path, and as `copy` does.
 */
export async function restore(
  tree: Tree,
  { caller, path: given, at, destination, force }: RestoreRequest,
): Promise<ChangeSet> {
  const path = sanitizePath(given);
  const past = await historyOf(tree).at(ownerOf(caller), at);
  const scope = { userId: ownerOf(caller), everyone: false };
  const record = (await past.findByPath(scope, [path])).get(path);
  if (record === undefined) {
    throw new AppError(
      "ErrResourcesNotFound",
      `Cannot restore ${quoted(path)}: version ${past.point.version} does not have it`,
    );
  }
  const request = { caller, sources: [path], destination: destination ?? path, force };
  return await transfer(tree, request, {
    verb: "restore",
    sources: [record],
    run: ({ history }, placements, now) => history.restoreSubtrees(placements, past.point, now),
    changes: changesOfCopy,
  });
}
