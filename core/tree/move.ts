import { nameOf } from "../paths.ts";
import type { ResourceRecord, TransferEffect } from "../ports.ts";
import { type ChangeSet, changesOf, recordsOf, type Tree } from "./changes.ts";
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

/**
 * The net changes of all steps. A later source may move or merge what an earlier one has moved:
 * subscribers receive one event per record, in the turn of the source that it was below, and a removed
 * record with the path that they know.
 */
function changesOfMove(
  { replacedFiles, newDirectories }: PreparedTargets,
  effects: readonly TransferEffect[],
): ChangeSet {
  const moved = new Map<number, TransferEffect>();
  const overwritten: ResourceRecord[] = [];
  const merged: ResourceRecord[] = [];
  for (const effect of effects) {
    const { kind, record } = effect;
    const oldPath = moved.get(record.id)?.source;
    if (kind === "updated") {
      // A record that moves again keeps its turn.
      moved.set(record.id, { ...effect, source: oldPath ?? effect.source });
      continue;
    }
    moved.delete(record.id);
    const removed = oldPath === undefined
      ? record
      : { ...record, path: oldPath, name: nameOf(oldPath) };
    (kind === "merged" ? merged : overwritten).push(removed);
  }
  return [
    ...changesOf("deleted", [...replacedFiles, ...overwritten]),
    ...changesOf("added", newDirectories),
    ...changesOf("updated", recordsOf([...moved.values()], "updated")),
    ...changesOf("deleted", merged),
  ];
}
