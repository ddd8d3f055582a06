import type { TrashList } from "../../../../schemas/history.ts";
import { ApiError, call } from "../shared/api.ts";
import { count } from "../shared/format.ts";
import { nameOf, parentOf } from "../shared/paths.ts";
import { keepsHistory, may } from "../shared/session.ts";
import { restoreBefore, undoing } from "../past/undo.ts";
import { runJob } from "../ui/jobs.ts";

/** An entry that was moved or renamed. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** What brings entries back to where they were, and says what has become of it. Undefined if none was moved. */
export function undoOf(moves: readonly Moved[]): (() => void) | undefined {
  return undoing(moves.map(({ from }) => from), () => undo(moves));
}

/** What restores what was deleted at some paths. Undefined without history. */
export function undoOfDeletion(paths: readonly string[]): (() => void) | undefined {
  if (!keepsHistory() || !may("resources.edit")) return undefined;
  return undoing(paths, async () => {
    const deletions = await deletionsOf(paths);
    await runJob("Undoing the deletion", paths.length, async (signal, onProgress) => {
      for (const [index, path] of paths.entries()) {
        if (signal.aborted) {
          throw new Error(`stopped after ${count(index)} of ${count(paths.length)}`);
        }
        const version = deletions.get(path);
        if (version === undefined) throw new Error(`“${path}” is in the trash no more`);
        await restoreBefore(version, path);
        onProgress(index + 1);
      }
    });
  });
}

/** The versions that have deleted what was at some paths, as far as the newest of the trash say. */
async function deletionsOf(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const wanted = new Set(paths);
  const found = new Map<string, number>();
  let after: string | undefined;
  do {
    const { items, next }: TrashList = await call("GET", "/resources/trash", {
      query: { limit: "1000", after },
    });
    for (const { path, version } of items) {
      // Newest first: what was deleted there before is another one.
      if (wanted.has(path) && !found.has(path)) found.set(path, version);
    }
    after = next ?? undefined;
  } while (after !== undefined && found.size < wanted.size);
  return found;
}

async function undo(moves: readonly Moved[]): Promise<void> {
  for (const group of Map.groupBy(moves, ({ from }) => parentOf(from)).values()) {
    for (const part of partsOf(group)) await moveBack(part);
  }
}

/** How many entries a request names at most. */
const MAX_SOURCES = 250;

function partsOf(moves: readonly Moved[]): Moved[][] {
  const parts: Moved[][] = [];
  for (let at = 0; at < moves.length; at += MAX_SOURCES) {
    parts.push(moves.slice(at, at + MAX_SOURCES));
  }
  return parts;
}

/** Moves entries back to one folder: all, or none. */
async function moveBack(moves: readonly Moved[]): Promise<void> {
  const [first, ...others] = moves;
  if (first === undefined) return;
  const { from, to } = first;
  if (others.length > 0) {
    const json = { sources: moves.map((it) => it.to), destination: parentOf(from) };
    await call("PUT", "/resources/move", { json });
    return;
  }
  // Into a folder of this name, the API would move it.
  await refuseTaken(from);
  await call("PUT", "/resources/move", { json: { source: to, destination: from } });
}

/** @throws {Error} when there is a file or folder. */
export async function refuseTaken(path: string): Promise<void> {
  try {
    await call("GET", "/resources/stat", { query: { path } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return;
    throw error;
  }
  throw new Error(`“${nameOf(path)}” exists already`);
}
