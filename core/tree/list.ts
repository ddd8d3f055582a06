import { type Caller, scopeOf } from "../caller.ts";
import { AppError } from "../errors.ts";
import { outermost, sanitizeAll } from "../paths.ts";
import type { ItemsJson, ListQuery, ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { chainOf, MAX_DIRECTORIES } from "./directories.ts";

/** A request to list directories (RS 4.1). */
export interface ListRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  readonly recursive: boolean;
}

/**
 * Lists directories in batches of records, in the order of RS 4.1.7 (RS 4.1, C 8).
 * See docs/design/listings.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid, or there are too many paths
 *   or directories above them.
 */
export function list(tree: Tree, request: ListRequest): AsyncIterable<readonly ResourceRecord[]> {
  return tree.records.list(queryOf(request));
}

/**
 * Lists directories like {@link list}, as JSON.
 *
 * @throws {AppError} as {@link list} does.
 */
export function listJson(tree: Tree, request: ListRequest): AsyncIterable<ItemsJson> {
  return tree.records.listJson(queryOf(request));
}

function queryOf({ caller, paths, recursive }: ListRequest): ListQuery {
  const requested = sanitizeAll(paths);
  // What is below another path is part of its listing.
  const directories = recursive ? outermost(requested) : requested;
  const chain = new Set<string>();
  for (const directory of directories) {
    for (const path of chainOf(directory)) chain.add(path);
    if (chain.size > MAX_DIRECTORIES) throw tooDeep();
  }
  return { scope: scopeOf(caller), recursive, directories, chain: [...chain] };
}

function tooDeep(): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot list: more than ${MAX_DIRECTORIES} directories are above the paths; ` +
      "list fewer paths in a request",
  );
}
