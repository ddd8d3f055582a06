import type { TransferEffects } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import type { Tree } from "./changes.ts";
import type { TransferRequest } from "./plan_transfer.ts";
import { type PreparedTargets, transfer } from "./transfer.ts";

/**
 * Copies files and directories with everything below them, all or none; content is shared (RS 4.5,
 * C 7). The changes are the overwritten records; the new directories and copies in order of creation;
 * and, source by source and by path below each, the records that replaced a file and the directories
 * that were merged into (RS 4.5.7).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the copy is impossible, `ErrResourcesNotFound`
 *   when a source has no record, `ErrResourcesConflict` when a record is in the way.
 */
export function copy(tree: Tree, request: TransferRequest): Promise<ChangeSet> {
  return transfer(tree, request, {
    verb: "copy",
    run: (transaction, placements, now) => transaction.copySubtrees(placements, now),
    changes: changesOfCopy,
  });
}

function changesOfCopy(
  { targets, replacedFiles, newDirectories }: PreparedTargets,
  { overwritten, added, updated }: TransferEffects,
): ChangeSet {
  return [
    changesOf("deleted", replacedFiles),
    changesOf("deleted", overwritten, targets),
    changesOf("added", newDirectories),
    changesOf("added", added, targets),
    changesOf("updated", updated, targets),
  ];
}
