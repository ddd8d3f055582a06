import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeAll } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";

/** A request to delete records (RS 4.6). */
export interface RemoveRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Throws if the request does not apply to the record of a path. @default it always does */
  readonly requireCondition?: (found: ResourceRecord) => void;
}

/**
 * Deletes the record of each path with all its descendants, all or none (RS 4.6). The changes are
 * sorted by path.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no path is given or a path is invalid,
 *   `ErrResourcesNotFound` when a path has no record, and what `requireCondition` throws.
 */
export function remove(
  tree: Tree,
  { caller, paths, requireCondition }: RemoveRequest,
): Promise<ChangeSet> {
  const requested = sanitizeAll(paths);
  if (requested.length === 0) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot delete: a path is required");
  }
  return commit(tree, async (transaction) => {
    const found = await transaction.findByPath(scopeOf(caller), requested);
    const roots = requested.map((path) => {
      const record = found.get(path);
      if (record === undefined) {
        throw new AppError("ErrResourcesNotFound", `Cannot delete ${quoted(path)}: not found`);
      }
      requireCondition?.(record);
      return record;
    });
    return [changesOf("deleted", await transaction.deleteSubtrees(roots), roots)];
  }, { caller, isLocal: true });
}
