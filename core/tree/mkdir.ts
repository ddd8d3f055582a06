import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import { refuseDeep, sanitizePath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { changesOf, commit, type Tree } from "./changes.ts";
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
  refuseDeep(directory);
  try {
    return await makeOnce(tree, caller.userId, directory);
  } catch (error) {
    // RS 4.3.4: anything but a refusal may be a passing failure of the host, such as a full disk.
    if (error instanceof AppError && error.kind !== "ErrInternal") throw error;
    return await makeOnce(tree, caller.userId, directory);
  }
}

async function makeOnce(tree: Tree, userId: number, path: string): Promise<ResourceRecord> {
  let leaf: ResourceRecord | undefined;
  await commit(tree, async (transaction) => {
    const now = Date.now();
    const existing = await transaction.findByPath({ userId, everyone: false }, chainOf(path));
    const created = await transaction.insert(missingDirectories({ userId, path, now }, existing));
    leaf = existing.get(path) ?? created.at(-1);
    return changesOf("added", created);
  });
  if (leaf === undefined) throw new Error("The new directory has no record");
  return leaf;
}
