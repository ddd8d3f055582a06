import { type Caller, scopeOf } from "../caller.ts";
import { AppError } from "../errors.ts";
import { outermost, sanitizeAll } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
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
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid, or there are too many paths
 *   or directories above them.
 */
export function list(
  tree: Tree,
  { caller, paths, recursive }: ListRequest,
): AsyncIterable<readonly ResourceRecord[]> {
  const requested = sanitizeAll(paths);
  // What is below another path is part of its listing.
  const directories = recursive ? outermost(requested) : requested;
  const chain = new Set<string>();
  for (const directory of directories) {
    for (const path of chainOf(directory)) chain.add(path);
    if (chain.size > MAX_DIRECTORIES) throw tooDeep();
  }
  return tree.records.list({ scope: scopeOf(caller), recursive, directories, chain: [...chain] });
}

function tooDeep(): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot list: more than ${MAX_DIRECTORIES} directories are above the paths; ` +
      "list fewer paths in a request",
  );
}
