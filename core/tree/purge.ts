import { type Caller, requireEveryone } from "../caller.ts";
import { AppError } from "../errors.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";

/**
 * Removes a content from all trees and all of their versions, whatever names it, tags included (C 26). The changes
 * are the deleted files.
 *
 * @param sha256 In lower-case hexadecimal.
 * @throws {AppError} `ErrNotPermitted` when the caller does not see the records of all users,
 *   `ErrResourcesInvalidRequest` when it is no SHA-256, `ErrResourcesNotFound` when no content has it.
 */
export async function purgeContent(
  tree: Tree,
  { caller, sha256 }: { readonly caller: Caller; readonly sha256: string },
): Promise<ChangeSet> {
  requireEveryone(caller);
  if (!/^[0-9a-f]{64}$/.test(sha256)) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      "Cannot purge: expected a SHA-256 of 64 hexadecimal digits",
    );
  }
  let purged: readonly string[] = [];
  const changes = await commit(tree, async (transaction) => {
    const { hashes, records } = await transaction.history.holders(sha256);
    if (hashes.length === 0) {
      throw new AppError("ErrResourcesNotFound", `Cannot purge ${sha256}: no content has it`);
    }
    purged = hashes;
    const deleted = changesOf("deleted", await transaction.deleteSubtrees(records), records);
    await transaction.last(() => transaction.history.purgeEverywhere(hashes));
    return [deleted];
  }, { caller, purges: true });
  tree.sweeper.add(purged);
  await tree.sweeper.finish();
  return changes;
}
