import { AppError } from "../errors.ts";
import type { At } from "../history.ts";
import type { Tree } from "./changes.ts";

/** A tree to read, and which version of it that is. */
export interface PastTree {
  readonly tree: Tree;
  readonly version: number;
}

/** The error where no history can be read. */
export function noHistory(): AppError {
  return new AppError("ErrVersionsNotFound", "Cannot read a version: no history is kept");
}

/**
 * The tree of a user as it was at a version (C 26): operations read it as they read the present one,
 * with the same privileges. The gate judges content as it is judged today.
 *
 * @throws {AppError} `ErrVersionsNotFound` when the version is not kept, or its reads do.
 */
export async function treeAt(
  tree: Tree,
  userId: number,
  at: At,
): Promise<PastTree> {
  const { records } = tree;
  if (records.history === undefined) throw noHistory();
  const past = await records.history.at(userId, at);
  const { point: { version }, findByPath, findLocated, findById, list, listJson, collectFiles } =
    past;
  return {
    version,
    tree: {
      ...tree,
      gate: tree.gate?.at(past),
      signatures: tree.signatures?.at(past),
      records: {
        findByPath,
        findLocated,
        findById,
        list,
        listJson,
        collectFiles,
        usage: (scope) => records.usage(scope),
        shares: (query, signal) => records.shares(query, signal),
        search: (query) => records.search(query),
        write: () => Promise.reject(new Error("The past does not change")),
      },
    },
  };
}
