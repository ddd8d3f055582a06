import { type Caller, ownerOf, requireEveryone } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { Share, Shares } from "../shares.ts";
import type { Tree } from "./changes.ts";

/** How many parts are listed individually. */
const MAX_PARTS = 100;

/** A request for the parts of what a tree holds. */
export interface ShareRequest {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** The largest parts, and the others together. */
export interface DividedTree {
  readonly items: readonly Share[];
  readonly others: Shares["total"];
}

/**
 * What is directly in a directory of the tree that the request acts in, each with all below it (C 24).
 * See docs/design/usage.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid, `ErrResourcesNotFound` when it has no
 *   directory.
 */
export async function sharesOfEntries(
  { records }: Tree,
  { caller, signal, path }: ShareRequest & { readonly path: string },
): Promise<DividedTree & { readonly directory: string }> {
  const directory = sanitizeDirectory(path);
  const scope = { userId: ownerOf(caller), everyone: false };
  const record = directory === ""
    ? undefined
    : (await records.findByPath(scope, [directory])).get(directory);
  if (directory !== "" && !record?.isDir) {
    throw new AppError(
      "ErrResourcesNotFound",
      `Cannot measure ${quoted(directory)}: there is no such directory`,
    );
  }
  const found = await records.shares({ by: "entry", directory, scope, limit: MAX_PARTS }, signal);
  return { ...divided(found), directory };
}

/**
 * What files of each extension take in the tree that the request acts in, or in all trees (C 24).
 *
 * @throws {AppError} `ErrNotPermitted` when the caller may not ask for all.
 */
export async function sharesOfExtensions(
  { records }: Tree,
  { caller, signal, all }: ShareRequest & { readonly all: boolean },
): Promise<DividedTree> {
  if (all) requireEveryone(caller);
  const scope = { userId: ownerOf(caller), everyone: all };
  return divided(await records.shares({ by: "extension", scope, limit: MAX_PARTS }, signal));
}

/**
 * What the tree of each user holds (C 24).
 *
 * @throws {AppError} `ErrNotPermitted` when the caller may not ask for all.
 */
export async function sharesOfUsers(
  { records }: Tree,
  { caller, signal }: ShareRequest,
): Promise<DividedTree> {
  requireEveryone(caller);
  const scope = { userId: ownerOf(caller), everyone: true };
  return divided(await records.shares({ by: "user", scope, limit: MAX_PARTS }, signal));
}

function divided({ items, total }: Shares): DividedTree {
  const told = (key: "files" | "bytes") => items.reduce((sum, item) => sum + item[key], 0);
  return {
    items,
    others: {
      parts: total.parts - items.length,
      files: total.files - told("files"),
      bytes: total.bytes - told("bytes"),
    },
  };
}
