import { quoted } from "../errors.ts";
import {
  ancestorsOf,
  compareBytewise,
  joinPath,
  nameOf,
  parentOf,
  sanitizeDirectory,
} from "../paths.ts";
import type { ResourceRecord, TransferEffect } from "../ports.ts";
import { type ChangeSet, changesOf, commit, type Tree } from "./changes.ts";
import {
  type Destination,
  destinationOf,
  invalid,
  sourcesOf,
  Transfer,
  type TransferRequest,
} from "./transfer.ts";

/**
 * Moves files and directories with all below them, all or none (RS 4.4, C 7). The changes are what
 * was overwritten, the directories that were made, what was moved, by its old path, and the
 * directories that were merged into others (RS 4.4 common 5).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` for sources or a destination that make no
 *   sense, `ErrResourcesNotFound` for a missing source, `ErrResourcesConflict` where a record is in
 *   the way.
 */
export function move(tree: Tree, request: TransferRequest): Promise<ChangeSet> {
  const destination = destinationOf(request, sanitizeDirectory(request.destination));
  const paths = sourcesOf("move", request, destination);
  const [first = "", ...others] = paths;
  if (others.length === 0 && destination.path === "" && parentOf(first) === "") {
    throw invalid("move", first, "it is directly under the root already");
  }
  return commit(tree, async (transaction) => {
    const transfer = await Transfer.begin("move", transaction, { ...request, paths });
    refuseTakenAlong(transfer.sources);
    const placements = await transfer.place(destination, placeDirectory);
    await transfer.replace(await transfer.admit(placements));
    const effects = await transaction.moveSubtrees(placements, transfer.now);
    return changesIn(transfer, effects);
  });
}

/** RS 4.4.5. */
async function placeDirectory(
  transfer: Transfer,
  source: ResourceRecord,
  { path }: Destination,
): Promise<string> {
  transfer.refuseInside(source, path);
  if (path === "" || (await transfer.find(path))?.isDir) return joinPath(path, source.name);
  await transfer.makeDirectories(parentOf(path));
  return path;
}

/** C 7: a source that an earlier one has taken along is not there any more when its turn comes. */
function refuseTakenAlong(sources: readonly ResourceRecord[]): void {
  const earlier = new Set<string>();
  for (const { path } of sources) {
    const above = ancestorsOf(path).find((ancestor) => earlier.has(ancestor));
    if (above !== undefined) throw invalid("move", path, `${quoted(above)} takes it along before`);
    earlier.add(path);
  }
}

/**
 * What came of all steps together. A later source may move or merge what an earlier one has moved:
 * subscribers hear of each record once, and of a removed one by the path that they know.
 */
function changesIn(transfer: Transfer, effects: readonly TransferEffect[]): ChangeSet {
  const moved = new Map<number, TransferEffect>();
  const overwritten: ResourceRecord[] = [];
  const merged: ResourceRecord[] = [];
  for (const effect of effects) {
    const { kind, record } = effect;
    const before = moved.get(record.id)?.source;
    if (kind === "updated") {
      moved.set(record.id, { ...effect, source: before ?? effect.source });
      continue;
    }
    moved.delete(record.id);
    const removed = before === undefined
      ? record
      : { ...record, path: before, name: nameOf(before) };
    (kind === "merged" ? merged : overwritten).push(removed);
  }
  const updated = [...moved.values()].sort((a, b) => compareBytewise(a.source, b.source));
  return [
    ...changesOf("deleted", transfer.replaced),
    ...changesOf("deleted", overwritten),
    ...changesOf("added", transfer.made),
    ...changesOf("updated", updated.map(({ record }) => record)),
    ...changesOf("deleted", merged),
  ];
}
