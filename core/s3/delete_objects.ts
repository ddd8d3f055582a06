import { type Caller, ownerOf } from "../caller.ts";
import { type ChangeSet, changesOf } from "../tree/change_set.ts";
import { commit } from "../tree/changes.ts";
import type { RequireCondition } from "../tree/placement.ts";
import { pathOfKey } from "./object_key.ts";
import type { S3Service } from "./service.ts";

/** A request to delete an object. */
export interface DeleteRequest {
  readonly caller: Caller;
  readonly key: string;
  /** @default it applies to whatever is there */
  readonly requireCondition?: RequireCondition;
}

/** Something is in a directory that was empty before. */
class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

/**
 * Deletes the object of a key, if there is one. That of a directory is deleted while nothing is in it: its key is
 * in no list otherwise.
 *
 * @throws {S3Error} `InvalidArgument` when the key cannot be a path.
 * @throws what `requireCondition` throws.
 */
export async function deleteObject(
  { tree, store }: S3Service,
  { caller, key, requireCondition = () => {} }: DeleteRequest,
): Promise<ChangeSet> {
  const { path, isDirectory } = pathOfKey(key);
  const userId = ownerOf(caller);
  if (isDirectory) {
    const range = { from: `${path}/`, before: `${path}0` };
    const below = await store.records({ userId, directory: path, ...range, limit: 1 });
    if (below.length > 0) return [];
  }
  try {
    return await commit(tree, async (transaction) => {
      const found = (await transaction.findByPath({ userId, everyone: false }, [path])).get(path);
      requireCondition(found);
      if (found === undefined || found.isDir !== isDirectory) return [];
      const deleted = await transaction.deleteSubtrees([found]);
      if (deleted.length > 1) throw new NotEmpty();
      return [changesOf("deleted", deleted, [found])];
    }, { caller, isLocal: true });
  } catch (error) {
    if (error instanceof NotEmpty) return [];
    throw error;
  }
}

/**
 * Deletes the objects of keys: all files in one change, and then directories that have nothing in them.
 *
 * @param keys Keys that can be paths.
 */
export async function deleteObjects(
  s3: S3Service,
  { caller, keys }: { readonly caller: Caller; readonly keys: readonly string[] },
): Promise<ChangeSet> {
  const userId = ownerOf(caller);
  const paths = keys.map(pathOfKey);
  const files = [...new Set(paths.filter((it) => !it.isDirectory).map(({ path }) => path))];
  const changes = [
    ...await commit(s3.tree, async (transaction) => {
      const found = await transaction.findByPath({ userId, everyone: false }, files);
      const roots = [...found.values()].filter(({ isDir }) => !isDir);
      return [changesOf("deleted", await transaction.deleteSubtrees(roots), roots)];
    }, { caller, isLocal: true }),
  ];
  // The directories in others first.
  const directories = keys.filter((key) => key.endsWith("/")).sort().reverse();
  for (const key of directories) changes.push(...await deleteObject(s3, { caller, key }));
  return changes;
}
