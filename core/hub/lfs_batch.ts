import type { Caller } from "../caller.ts";
import { AppError } from "../errors.ts";
import type { LfsPointer } from "../lfs_objects.ts";
import type { Tree } from "../tree/changes.ts";
import { roomOf } from "../tree/quota.ts";
import { refuseLarge } from "../tree/upload_size.ts";
import type { HubService } from "./ports.ts";
import type { Repository } from "./repository.ts";

/**
 * Why each of some objects cannot be sent, before a byte of it is (C 31); undefined for one that can. Those that
 * can take room from the ones after them.
 *
 * @param objects Undefined for one that is not to be sent.
 */
export async function refusedUploads(
  tree: Tree,
  caller: Caller,
  objects: readonly (LfsPointer | undefined)[],
): Promise<(AppError | undefined)[]> {
  const room = await roomOf(tree, caller);
  // An object is sent once, however often it is named.
  const known = new Map<string, AppError | undefined>();
  const refusals: (AppError | undefined)[] = [];
  for (const object of objects) {
    const key = object && `${object.sha256} ${object.size}`;
    if (object !== undefined && key !== undefined && !known.has(key)) {
      const { sha256, size } = object;
      const refusal = await refusalOf(async () => {
        refuseLarge(tree, { path: sha256, size });
        await room.require(size);
      });
      known.set(key, refusal);
    }
    refusals.push(key === undefined ? undefined : known.get(key));
  }
  return refusals;
}

/** The refusal that a check throws. Any other error is thrown. */
async function refusalOf(check: () => Promise<void>): Promise<AppError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** An object that a client wants to download. */
export interface WantedObject {
  /** The path of a file of the tree with this content. Undefined without one. */
  readonly path: string | undefined;
  /** Why it cannot be downloaded. Undefined if it can be. */
  readonly refusal: AppError | undefined;
}

/** Whether each of some objects can be downloaded from a repository, as the gate decides now (C 18, C 31). */
export async function wantedObjects(
  { tree, objects }: HubService,
  { userId, directory }: Repository,
  pointers: readonly LfsPointer[],
): Promise<WantedObject[]> {
  const paths = await objects.files(userId, directory, pointers);
  const scope = { userId, everyone: false };
  const records = await tree.records.findByPath(scope, paths.filter((path) => path !== undefined));
  const files = [...records.values()];
  const refusals = await tree.gate?.namedBelow(directory).refusals(files) ?? [];
  const refused = new Map(files.map(({ path }, index) => [path, refusals[index]]));
  return paths.map((path) => ({
    path,
    refusal: path !== undefined && refused.has(path)
      ? refused.get(path)
      : new AppError("ErrHubEntryNotFound", "No file of the tree has this content"),
  }));
}
