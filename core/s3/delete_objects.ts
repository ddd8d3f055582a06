import { type Caller, ownerOf } from "../caller.ts";
import { type ChangeSet, changesOf } from "../tree/change_set.ts";
import { commit } from "../tree/changes.ts";
import { pathOfKey } from "./object_key.ts";
import type { S3Service } from "./service.ts";

/** Something is in a directory that was empty before. */
class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

/**
 * Deletes the object of a key, if there is one. That of a directory is deleted while nothing is in it: its key is
 * in no list otherwise.
 *
 * @throws {S3Error} `InvalidArgument` when the key cannot be a path.
 */
export async function deleteObject(
  { tree, store }: S3Service,
  { caller, key }: { readonly caller: Caller; readonly key: string },
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
      if (found === undefined || found.isDir !== isDirectory) return [];
      const deleted = await transaction.deleteSubtrees([found]);
      if (deleted.length > 1) throw new NotEmpty();
      return [changesOf("deleted", deleted, [found])];
    }, { userId: caller.userId, isLocal: true });
  } catch (error) {
    if (error instanceof NotEmpty) return [];
    throw error;
  }
}
