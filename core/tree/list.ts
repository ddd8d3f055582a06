import { type Caller, scopeOf } from "../caller.ts";
import { sanitizeAll } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { chainOf } from "./directories.ts";

/** A request to list directories (RS 4.1). */
export interface ListRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  readonly recursive: boolean;
}

/**
 * Lists directories in batches of records, in the order of RS 4.1.7 (RS 4.1, C 8).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid.
 */
export function list(
  tree: Tree,
  { caller, paths, recursive }: ListRequest,
): AsyncIterable<readonly ResourceRecord[]> {
  const directories = sanitizeAll(paths);
  const chain = new Set(directories.flatMap(chainOf));
  return tree.records.list({ scope: scopeOf(caller), recursive, directories, chain: [...chain] });
}
