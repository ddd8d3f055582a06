import { type Caller, ownerOf } from "../caller.ts";
import type { HistoryStore, LogPlace, TreeChange } from "../history.ts";
import { nameOf, sanitizeDirectory } from "../paths.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { noHistory } from "./past_tree.ts";

/** A request for what has changed at a path and below it (C 26). */
export interface LogRequest {
  readonly caller: Caller;
  /** Blank is the root of the tree that the request acts in. */
  readonly path: string;
  /** @default the newest changes */
  readonly place?: LogPlace | undefined;
  readonly limit: number;
}

/** A change, with what is known of the content that a file had after it, or before it was deleted. */
export interface JudgedChange {
  readonly change: TreeChange;
  /** Null for a directory. */
  readonly verdict: ContentVerdict | null;
  /** Whether the gate refuses it now. */
  readonly isBlocked: boolean;
}

/**
 * The changes of a file, or of a directory and all below it, newest first (C 26). What was moved there keeps its
 * history.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid, `ErrVersionsNotFound` when no history
 *   is kept.
 */
export async function treeLog(
  tree: Tree,
  { caller, path, place, limit }: LogRequest,
): Promise<{ readonly items: readonly JudgedChange[]; readonly next: LogPlace | undefined }> {
  const userId = ownerOf(caller);
  const history = historyOf(tree);
  const page = await history.log({ userId, path: sanitizeDirectory(path), place, limit });
  return { items: await judged(tree, userId, page.changes), next: page.next };
}

/** @throws {AppError} `ErrVersionsNotFound` when no history is kept. */
export function historyOf({ records }: Tree): HistoryStore {
  if (records.history === undefined) throw noHistory();
  return records.history;
}

/** Changes with the verdicts on their files. */
export async function judged(
  { verdicts, gate }: Pick<Tree, "verdicts" | "gate">,
  userId: number,
  changes: readonly TreeChange[],
): Promise<JudgedChange[]> {
  const files = changes.filter(({ isDir }) => !isDir);
  const named = files.map(({ path, hash }) => ({ userId, hash, name: nameOf(path) }));
  const found = named.length === 0 ? [] : await verdicts.of(named);
  const judgedFiles = files.flatMap((change, index) => {
    const { path, size } = change;
    const content = found[index];
    return content === undefined ? [] : [{ change, userId, path, size, content }];
  });
  const blocked = await gate?.blocked(judgedFiles);
  const byChange = new Map(judgedFiles.map(({ change, content: verdict }, index) => [
    change,
    { change, verdict, isBlocked: blocked?.[index] ?? false },
  ]));
  return changes.map((change) =>
    byChange.get(change) ?? { change, verdict: null, isBlocked: false }
  );
}
