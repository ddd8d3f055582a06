import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { compareBytewise, sanitizeAll } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { type ChangeSet, changesOf, commit, type Tree } from "./changes.ts";

export interface RemoveRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
}

/**
 * Deletes the record of each path with all its descendants, or nothing at all (RS 4.6). The changes
 * come sorted by path.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where no path is given or one is not valid,
 *   `ErrResourcesNotFound` where one has no record.
 */
export function remove(tree: Tree, { caller, paths }: RemoveRequest): Promise<ChangeSet> {
  const wanted = sanitizeAll(paths);
  if (wanted.length === 0) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot delete: no path is given");
  }
  return commit(tree, async (transaction) => {
    const found = await transaction.findByPath(scopeOf(caller), wanted);
    const roots = wanted.map((path) => {
      const record = found.get(path);
      if (record === undefined) {
        throw new AppError("ErrResourcesNotFound", `Cannot delete ${quoted(path)}: not found`);
      }
      return record;
    });
    const removed = await transaction.deleteSubtrees(roots);
    return changesOf("deleted", removed.sort(byPathThenAge));
  });
}

/** RS 4.6.5; the name follows from the path. */
function byPathThenAge(a: ResourceRecord, b: ResourceRecord): number {
  return compareBytewise(a.path, b.path) || a.createdAt - b.createdAt;
}
