import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeAll } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";
import { purgeDeleted } from "./trash.ts";

/** A request to delete records (RS 4.6). */
export interface RemoveRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Throws if the request does not apply to the record of a path. @default it always does */
  readonly requireCondition?: (found: ResourceRecord) => void;
  /** Whether no version is to have the content any more (C 26). @default false */
  readonly purges?: boolean;
}

/**
 * Deletes the record of each path with all its descendants, all or none (RS 4.6). The changes are
 * sorted by path.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no path is given or a path is invalid,
 *   `ErrResourcesNotFound` when a path has no record, and what `requireCondition` throws.
 */
export async function remove(
  tree: Tree,
  { caller, paths, requireCondition, purges = false }: RemoveRequest,
): Promise<ChangeSet> {
  const requested = sanitizeAll(paths);
  if (requested.length === 0) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot delete: a path is required");
  }
  let forgotten: readonly string[] = [];
  const changes = await commit(tree, async (transaction) => {
    const found = await transaction.findByPath(scopeOf(caller), requested);
    const roots = requested.map((path) => {
      const record = found.get(path);
      if (record === undefined) {
        throw new AppError("ErrResourcesNotFound", `Cannot delete ${quoted(path)}: not found`);
      }
      requireCondition?.(record);
      return record;
    });
    const deleted = changesOf("deleted", await transaction.deleteSubtrees(roots), roots);
    if (purges) {
      await transaction.last(async () => {
        forgotten = await purgeDeleted(transaction, roots, deleted);
      });
    }
    return [deleted];
  }, { caller, isLocal: true });
  if (purges) {
    tree.sweeper.add(forgotten);
    await tree.sweeper.finish();
  }
  return changes;
}
