import { ApiError, call } from "../shared/api.ts";
import { nameOf, parentOf } from "../shared/paths.ts";
import { currentTree } from "../shared/session.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** An entry that was moved or renamed. */
export interface Moved {
  readonly from: string;
  readonly to: string;
}

/** What brings entries back to where they were, and says what has become of it. Undefined if none was moved. */
export function undoOf(moves: readonly Moved[]): (() => void) | undefined {
  if (moves.length === 0) return undefined;
  const tree = currentTree();
  return () =>
    void undo(moves, tree).then(
      () => toast(moves.length === 1 ? `Undone: “${nameOf(moves[0]?.from ?? "")}”` : "Undone"),
      (error) => toast(`Not undone: ${messageOf(error)}`, { isError: true }),
    );
}

async function undo(moves: readonly Moved[], tree: number | undefined): Promise<void> {
  if (tree !== currentTree()) throw new Error("another tree is shown now");
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
