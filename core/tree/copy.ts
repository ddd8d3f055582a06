import type { Placement, TransferEffects, WriteTransaction } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import type { Tree } from "./changes.ts";
import type { TransferRequest } from "./plan_transfer.ts";
import { type PreparedTargets, transfer } from "./transfer.ts";

/** A request to copy. */
export interface CopyRequest extends TransferRequest {
  /** Whether directories are copied without what is in them, to where nothing is (C 30). @default false */
  readonly isShallow?: boolean;
}

/**
 * Copies files and directories with everything below them, all or none; content is shared (RS 4.5,
 * C 7). The changes are the overwritten records; the new directories and copies in order of creation;
 * and, source by source and by path below each, the records that replaced a file and the directories
 * that were merged into (RS 4.5.7).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the copy is impossible, `ErrResourcesNotFound`
 *   when a source has no record, `ErrResourcesConflict` when a record is in the way.
 */
export function copy(tree: Tree, request: CopyRequest): Promise<ChangeSet> {
  const { isShallow = false } = request;
  return transfer(tree, request, {
    verb: "copy",
    run: async (transaction, placements, now) => {
      const effects = isShallow
        ? await copyAlone(transaction, placements, now)
        : await transaction.copySubtrees(placements, now);
      const copied = placements.map(({ source, target }) => ({
        ...{ userId: source.userId, path: source.path, target },
      }));
      await transaction.last(() => transaction.dav.copyProperties(copied));
      return effects;
    },
    changes: changesOfCopy,
  });
}

/** Copies directories without what is in them, to paths that are free. */
async function copyAlone(
  transaction: WriteTransaction,
  placements: readonly Placement[],
  now: number,
): Promise<TransferEffects> {
  const copies = placements.map(({ source: { id: _id, name: _name, ...rest }, target }) => ({
    ...rest,
    path: target,
    createdAt: now,
    updatedAt: now,
  }));
  const added = await transaction.insert(copies);
  return { overwritten: [], added, updated: [], merged: [] };
}

/** The changes of {@link copy}. */
export function changesOfCopy(
  { targets, replaced, newDirectories }: PreparedTargets,
  { overwritten, added, updated }: TransferEffects,
): ChangeSet {
  return [
    replaced,
    changesOf("deleted", overwritten, targets),
    changesOf("added", newDirectories),
    changesOf("added", added, targets),
    changesOf("updated", updated, targets),
  ];
}
