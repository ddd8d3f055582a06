import { atIn } from "../at.ts";
import { type Caller, ownerOf, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizePath } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "../tree/changes.ts";
import { treeAt } from "../tree/past_tree.ts";

/** One of two things to compare, as a request names it. */
export interface NamedSide {
  /** A path; without `at`, `@` and a version may follow it. */
  readonly path: string;
  /** A version, a time or a tag. */
  readonly at?: string | undefined;
}

/** One of two things that are compared. */
export interface Side {
  /** The tree that has it: that of now, or of a version. */
  readonly tree: Tree;
  readonly record: ResourceRecord;
  /** Undefined for what is there now. */
  readonly version: number | undefined;
}

/**
 * Finds what a request names. A path that is there as a whole counts as it is, as names may contain `@`. Otherwise, the
 * version is what follows the last `@`.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is invalid, `ErrResourcesNotFound` when nothing is there,
 *   `ErrVersionsNotFound` when the version is not kept.
 */
export async function findSide(tree: Tree, caller: Caller, named: NamedSide): Promise<Side> {
  const { path, at } = named;
  if (at !== undefined) return await sideAt(tree, caller, path, at);
  const present = await recordAt(tree, caller, sanitizePath(path));
  if (present !== undefined) return { tree, record: present, version: undefined };
  const last = path.lastIndexOf("@");
  if (last > 0) return await sideAt(tree, caller, path.slice(0, last), path.slice(last + 1));
  throw new AppError("ErrResourcesNotFound", `Cannot compare ${quoted(path)}: not found`);
}

async function sideAt(tree: Tree, caller: Caller, given: string, at: string): Promise<Side> {
  const path = sanitizePath(given);
  const past = await treeAt(tree, ownerOf(caller), atIn(at));
  const record = await recordAt(past.tree, caller, path);
  if (record !== undefined) return { tree: past.tree, record, version: past.version };
  throw new AppError(
    "ErrResourcesNotFound",
    `Cannot compare ${quoted(path)} at ${quoted(at)}: not found`,
  );
}

async function recordAt(
  { records }: Tree,
  caller: Caller,
  path: string,
): Promise<ResourceRecord | undefined> {
  return (await records.findByPath(scopeOf(caller), [path])).get(path);
}
