import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import { sanitizePath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { changesOf, commit, type Tree } from "./changes.ts";
import { makeDirectories } from "./directories.ts";

export interface MkdirRequest {
  readonly caller: Caller;
  readonly path: string;
}

/**
 * Makes a directory and every missing parent, and returns its record. Where all of it is there
 * already nothing changes (RS 4.3).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` for a bad path, `ErrResourcesAlreadyExists`
 *   where a file stands on the way.
 */
export async function mkdir(tree: Tree, { caller, path }: MkdirRequest): Promise<ResourceRecord> {
  const directory = sanitizePath(path);
  try {
    return await makeOnce(tree, caller.userId, directory);
  } catch (error) {
    // RS 4.3.4: what is no refusal may have been a passing failure of the host, such as a full disk.
    if (error instanceof AppError && error.kind !== "ErrInternal") throw error;
    return await makeOnce(tree, caller.userId, directory);
  }
}

async function makeOnce(tree: Tree, userId: number, directory: string): Promise<ResourceRecord> {
  let made: ResourceRecord | undefined;
  await commit(tree, async (transaction) => {
    const request = { userId, path: directory, now: Date.now() };
    const { created, leaf } = await makeDirectories(transaction, request);
    made = leaf;
    return changesOf("added", created);
  });
  if (made === undefined) throw new Error(`No record for the directory that was made`);
  return made;
}
