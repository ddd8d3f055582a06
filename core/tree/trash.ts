import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { TrashPage, TrashQuery } from "../history.ts";
import { isBelow, sanitizePath } from "../paths.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { batchesOf } from "../record_lists.ts";
import type { Change } from "./change_set.ts";
import type { Tree } from "./changes.ts";
import { historyOf } from "./tree_log.ts";

/** Entries of the trash that are looked for at once. */
const PAGE_ENTRIES = 1000;
/** About so many are given up in one transaction, which goes through the history of the tree. */
const MAX_ENTRIES = 10_000;

/**
 * What was deleted as a whole from the tree that the request acts in, and is not there again, newest first (C 26).
 *
 * @throws {AppError} `ErrVersionsNotFound` when no history is kept.
 */
export function listTrash(
  tree: Tree,
  { caller, ...page }: Omit<TrashQuery, "userId"> & { readonly caller: Caller },
): Promise<TrashPage> {
  return historyOf(tree).trash({ ...page, userId: ownerOf(caller) });
}

/**
 * Gives the trash up at once: no version has the content any more, and what nothing else names is removed (C 26).
 * Returns how many entries it had.
 *
 * @param path Only what was deleted there, or below. @default all
 * @throws {AppError} `ErrVersionsNotFound` when no history is kept, `ErrResourcesInvalidRequest` when the path is
 *   invalid, `ErrResourcesNotFound` when the trash does not have it.
 */
export async function emptyTrash(
  tree: Tree,
  { caller, path }: { readonly caller: Caller; readonly path?: string | undefined },
): Promise<number> {
  const wanted = path === undefined ? undefined : sanitizePath(path);
  const userId = ownerOf(caller);
  let count = 0;
  let paths: string[] = [];
  let place: TrashQuery["place"];
  do {
    const { entries, next } = await listTrash(tree, { caller, place, limit: PAGE_ENTRIES });
    paths.push(
      ...entries.map((entry) => entry.path).filter((it) =>
        wanted === undefined || it === wanted || isBelow(it, wanted)
      ),
    );
    place = next;
    if (paths.length > (next === undefined ? 0 : MAX_ENTRIES)) {
      const purged = paths;
      const forgotten = await tree.records.write(
        ({ history }) => history.purge({ userId, paths: purged }),
        { userId: caller.userId },
      );
      tree.sweeper.add(forgotten);
      count += paths.length;
      paths = [];
    }
  } while (place !== undefined);
  if (wanted !== undefined && count === 0) {
    throw new AppError("ErrResourcesNotFound", `${quoted(wanted)} is not in the trash`);
  }
  await tree.sweeper.finish();
  return count;
}

/**
 * Lets no version have the content of records that the transaction has deleted. Returns the hashes that may have
 * lost their last reference.
 */
export async function purgeDeleted(
  transaction: WriteTransaction,
  roots: readonly ResourceRecord[],
  { records }: Change,
): Promise<string[]> {
  const forgotten: string[] = [];
  for (const [userId, own] of Map.groupBy(roots, (root) => root.userId)) {
    const hashes = new Set<string>();
    for await (const batch of batchesOf([records])) {
      for (const record of batch) if (record.userId === userId) hashes.add(record.hash);
    }
    hashes.delete("");
    const paths = own.map(({ path }) => path);
    forgotten.push(...await transaction.history.purge({ userId, paths, hashes: [...hashes] }));
  }
  return forgotten;
}
