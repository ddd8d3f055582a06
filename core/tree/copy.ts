import { compareBytewise, parentOf, sanitizePath } from "../paths.ts";
import type { Effect, Placement, ResourceRecord } from "../ports.ts";
import { type ChangeSet, changesOf, commit, type Tree } from "./changes.ts";
import {
  conflict,
  type Destination,
  destinationOf,
  refuseInside,
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
 * @throws {ResourceError} `ErrResourcesInvalidRequest` for sources or a destination that make no
 *   sense, `ErrResourcesNotFound` for a missing source, `ErrResourcesConflict` where a record is in
 *   the way.
 */
export function copy(tree: Tree, request: TransferRequest): Promise<ChangeSet> {
  const destination = destinationOf(request, sanitizePath(request.destination));
  const paths = sourcesOf(request, destination);
  return commit(tree, async (transaction) => {
    const transfer = await Transfer.begin(transaction, request, paths);
    const [source, ...more] = transfer.sources;
    const placements = more.length > 0
      ? await transfer.placeAll(destination.path)
      : [await placeOne(transfer, source, destination)];
    const [blocking] = await transfer.admit(placements);
    if (blocking !== undefined) throw conflict(blocking.path, "a file has this path");
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

async function placeOne(
  transfer: Transfer,
  source: ResourceRecord,
  destination: Destination,
): Promise<Placement> {
  if (!source.isDir) return await transfer.placeFile(source, destination);
  const { path, mustBeDirectory } = destination;
  refuseInside(source, path);
  const replaceFile = mustBeDirectory && (await transfer.find(path))?.isDir === false;
  await transfer.makeDirectories(replaceFile ? path : parentOf(path), { replaceFile });
  return { source, target: path };
}

function recordsOf(effects: readonly Effect[], kind: Effect["kind"]): ResourceRecord[] {
  return effects.filter((effect) => effect.kind === kind).map(({ record }) => record);
}
