import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { refuseTooMany, sanitizeAll } from "../paths.ts";
import type { ResourceRecord, ResourceStore } from "../ports.ts";

/** Records that a request names by path or id. */
export interface TargetRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Positive. The store assigns no id of 2^53 or above, so such an id is not found. */
  readonly ids: readonly number[];
}

/** The records of a request, by how it names them. */
export interface Targets {
  readonly byPath: ResourceRecord[];
  readonly byId: ResourceRecord[];
}

/**
 * Finds the records that a request names and its caller may read (RS 4.7).
 *
 * @param verb The operation, for error messages.
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid or there are too many paths and
 *   ids, `ErrResourcesNotFound` when a path or id has no record.
 */
export async function resolveTargets(
  tree: { readonly records: ResourceStore },
  { caller, paths, ids }: TargetRequest,
  verb: string,
): Promise<Targets> {
  const scope = scopeOf(caller);
  const requestedPaths = sanitizeAll(paths);
  const requestedIds = [...new Set(ids)];
  refuseTooMany(requestedPaths.length + requestedIds.length);
  const foundPaths = await tree.records.findByPath(scope, requestedPaths);
  const foundIds = await tree.records.findById(scope, requestedIds);
  const missing = (what: string) =>
    new AppError("ErrResourcesNotFound", `Cannot ${verb} ${what}: not found`);
  return {
    byPath: requestedPaths.map((path) => {
      const record = foundPaths.get(path);
      if (record === undefined) throw missing(quoted(path));
      return record;
    }),
    byId: requestedIds.map((id) => {
      const record = foundIds.get(id);
      if (record === undefined) throw missing(`record ${id}`);
      return record;
    }),
  };
}

/**
 * Finds the one record that a request names and its caller may read.
 *
 * @param verb The operation, for error messages.
 * @throws {AppError} `ErrResourcesInvalidRequest` when not exactly one path or id is given, or the path
 *   is invalid, `ErrResourcesNotFound` when it has no record.
 */
export async function onlyTarget(
  tree: { readonly records: ResourceStore },
  { caller, paths: given, ids }: TargetRequest,
  verb: string,
): Promise<ResourceRecord> {
  const paths = given.filter((path) => path.trim() !== "");
  if (paths.length + ids.length !== 1) {
    throw new AppError("ErrResourcesInvalidRequest", `Cannot ${verb}: expected one path or id`);
  }
  const { byPath, byId } = await resolveTargets(tree, { caller, paths, ids }, verb);
  const [record] = [...byPath, ...byId];
  if (record === undefined) throw new Error("No record was found, and none was missed");
  return record;
}

/**
 * Refuses two different records with one path (RS 4.7.5). As paths are distinct, one of the two was
 * named by id.
 *
 * @throws {AppError} `ErrResourcesSharedPath`.
 */
export function refuseSharedPath(records: readonly ResourceRecord[], verb: string): void {
  const held = new Map<string, number>();
  for (const { path, id } of records) {
    if ((held.get(path) ?? id) !== id) throw sharedPath(path, verb);
    held.set(path, id);
  }
}

/** The error for two different records with one path. */
export function sharedPath(path: string, verb: string): AppError {
  return new AppError(
    "ErrResourcesSharedPath",
    `Cannot ${verb} ${quoted(path)}: two different records have this path`,
  );
}
