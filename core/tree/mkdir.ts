import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { refuseUncreatable, sanitizePath } from "../paths.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";
import { withinQuota } from "./quota.ts";
import { chainOf, missingDirectories, requireParent } from "./directories.ts";

/** A request to create a directory (RS 4.3). */
export interface MkdirRequest {
  readonly caller: Caller;
  readonly path: string;
  /** Whether nothing may be at the path, and the directory above it must be there (C 30). @default false */
  readonly isExact?: boolean;
}

/**
 * Creates a directory and its missing parents, and returns its record. Changes nothing if the directory
 * exists (RS 4.3).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid,
 *   `ErrResourcesAlreadyExists` when a file is in the way, or for an exact request anything,
 *   `ErrResourcesConflict` when it lacks the directory above.
 */
export async function mkdir(tree: Tree, request: MkdirRequest): Promise<ResourceRecord> {
  const directory = sanitizePath(request.path);
  refuseUncreatable(directory);
  try {
    return await makeOnce(tree, request, directory);
  } catch (error) {
    // RS 4.3.4: anything but a refusal may be a passing failure of the host, such as a full disk.
    if (error instanceof AppError && error.kind !== "ErrInternal") throw error;
    return await makeOnce(tree, request, directory);
  }
}

async function makeOnce(
  tree: Tree,
  { caller, isExact = false }: MkdirRequest,
  path: string,
): Promise<ResourceRecord> {
  const userId = ownerOf(caller);
  const scope = { userId, everyone: false };
  // Some clients ask for the directory of each file that they send.
  if (isExact) requireFreePlace(path, await tree.records.findByPath(scope, chainOf(path)));
  let leaf: ResourceRecord | undefined;
  const work = async (transaction: WriteTransaction) => {
    const now = Date.now();
    const existing = await transaction.findByPath(scope, chainOf(path));
    if (isExact) requireFreePlace(path, existing);
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
    { caller },
  );
  if (leaf === undefined) throw new Error("The new directory has no record");
  return leaf;
}

/**
 * Refuses a path that is taken, or whose parent is not a directory (RFC 4918, 9.3.1).
 *
 * @param existing The owner's records at the path and above it.
 * @throws {AppError} `ErrResourcesAlreadyExists`, `ErrResourcesConflict`.
 */
function requireFreePlace(path: string, existing: ReadonlyMap<string, ResourceRecord>): void {
  requireParent(path, existing);
  if (!existing.has(path)) return;
  throw new AppError(
    "ErrResourcesAlreadyExists",
    `Cannot create the directory ${quoted(path)}: it exists`,
  );
}
