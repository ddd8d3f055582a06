import type { TransferEffects } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import type { Tree } from "./changes.ts";
import type { TransferRequest } from "./plan_transfer.ts";
import { type PreparedTargets, transfer } from "./transfer.ts";

/**
 * Moves files and directories with everything below them, all or none (RS 4.4, C 7). The changes are
 * the overwritten records; the new directories; the moved records, source by source and by path below
 * each; and the directories that were merged into others (RS 4.4 common 5, C 7).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the move is impossible, `ErrResourcesNotFound`
 *   when a source has no record, `ErrResourcesConflict` when a record is in the way.
 */
export function move(tree: Tree, request: TransferRequest): Promise<ChangeSet> {
  return transfer(tree, request, {
    verb: "move",
    run: (transaction, placements, now) => transaction.moveSubtrees(placements, now),
    changes: changesOfMove,
  });
}

function changesOfMove(
  { placements, targets, replaced, newDirectories }: PreparedTargets,
  { overwritten, updated, merged }: TransferEffects,
): ChangeSet {
  const former = placements.map(({ source }) => source);
  return [
    replaced,
    changesOf("deleted", overwritten, [...targets, ...former]),
    changesOf("added", newDirectories),
    { ...changesOf("updated", updated, targets), former },
    changesOf("deleted", merged, former),
  ];
}
