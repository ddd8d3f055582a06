import { type Caller, ownerOf } from "../caller.ts";
import { AppError } from "../errors.ts";
import { refuseUncreatable, sanitizePath } from "../paths.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";
import { withinQuota } from "./quota.ts";
import { chainOf, missingDirectories } from "./directories.ts";

/** A request to create a directory (RS 4.3). */
export interface MkdirRequest {
  readonly caller: Caller;
  readonly path: string;
}

/**
 * Creates a directory and its missing parents, and returns its record. Changes nothing if the directory
 * exists (RS 4.3).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid,
 *   `ErrResourcesAlreadyExists` when a file is in the way.
 */
export async function mkdir(tree: Tree, { caller, path }: MkdirRequest): Promise<ResourceRecord> {
  const directory = sanitizePath(path);
  refuseUncreatable(directory);
  try {
    return await makeOnce(tree, caller, directory);
  } catch (error) {
    // RS 4.3.4: anything but a refusal may be a passing failure of the host, such as a full disk.
    if (error instanceof AppError && error.kind !== "ErrInternal") throw error;
    return await makeOnce(tree, caller, directory);
  }
}

async function makeOnce(tree: Tree, caller: Caller, path: string): Promise<ResourceRecord> {
  const userId = ownerOf(caller);
  let leaf: ResourceRecord | undefined;
  const work = async (transaction: WriteTransaction) => {
    const now = Date.now();
    const existing = await transaction.findByPath({ userId, everyone: false }, chainOf(path));
    const created = await transaction.insert(missingDirectories({ userId, path, now }, existing));
    leaf = existing.get(path) ?? created.at(-1);
    return [changesOf("added", created)];
  };
  await commit(
    tree,
    (transaction) =>
      withinQuota(
        tree,
        { caller, verb: "create a directory", transaction },
        () => work(transaction),
      ),
    { userId: caller.userId },
  );
  if (leaf === undefined) throw new Error("The new directory has no record");
  return leaf;
}
