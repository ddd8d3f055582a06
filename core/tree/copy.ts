import { compareBytewise, parentOf, sanitizePath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import { type ChangeSet, changesOf, commit, recordsOf, type Tree } from "./changes.ts";
import {
  type Destination,
  destinationOf,
  sourcesOf,
  Transfer,
  type TransferRequest,
} from "./transfer.ts";

/**
 * Copies files and directories with all below them, all or none; content is shared (RS 4.5, C 7).
 * The changes are what was overwritten, the directories that were made and the new records in the
 * order of their making, and by their source path the records that took the place of others and the
 * directories that others were merged into (RS 4.5.7).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` for sources or a destination that make no
 *   sense, `ErrResourcesNotFound` for a missing source, `ErrResourcesConflict` where a record is in
 *   the way.
 */
export function copy(tree: Tree, request: TransferRequest): Promise<ChangeSet> {
  const destination = destinationOf(request, sanitizePath(request.destination));
  const paths = sourcesOf("copy", request, destination);
  return commit(tree, async (transaction) => {
    const transfer = await Transfer.begin("copy", transaction, { ...request, paths });
    const placements = await transfer.place(destination, placeDirectory);
    await transfer.admit(placements);
    const effects = await transaction.copySubtrees(placements, transfer.now);
    const updated = effects.filter(({ kind }) => kind === "updated")
      .sort((a, b) => compareBytewise(a.source, b.source));
    return [
      ...changesOf("deleted", [...transfer.replaced, ...recordsOf(effects, "overwritten")]),
      ...changesOf("added", [...transfer.made, ...recordsOf(effects, "added")]),
      ...changesOf("updated", recordsOf(updated, "updated")),
    ];
  });
}

/** RS 4.5.4 and C 7. */
async function placeDirectory(
  transfer: Transfer,
  source: ResourceRecord,
  { path, mustBeDirectory }: Destination,
): Promise<string> {
  transfer.refuseInside(source, path);
  const replaceFile = mustBeDirectory && (await transfer.find(path))?.isDir === false;
  await transfer.makeDirectories(replaceFile ? path : parentOf(path), { replaceFile });
  return path;
}
