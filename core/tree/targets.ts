import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizeAll } from "../paths.ts";
import type { ResourceRecord, ResourceStore } from "../ports.ts";

export interface TargetRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Positive; one beyond 2^53 names nothing, for the store gives none so large. */
  readonly ids: readonly number[];
}

/** The records of a request, by how they were named. */
export interface Targets {
  readonly byPath: ResourceRecord[];
  readonly byId: ResourceRecord[];
}

/**
 * Finds the records that a caller may read (RS 4.7).
 *
 * @param verb What is to be done with them, for messages.
 * @throws {AppError} `ErrResourcesInvalidRequest` where a path is not one,
 *   `ErrResourcesNotFound` where a path or id has no record.
 */
export async function resolveTargets(
  tree: { readonly records: ResourceStore },
  { caller, paths, ids }: TargetRequest,
  verb: string,
): Promise<Targets> {
  const scope = scopeOf(caller);
  const wantedPaths = sanitizeAll(paths);
  const wantedIds = [...new Set(ids)];
  const foundPaths = await tree.records.findByPath(scope, wantedPaths);
  const foundIds = await tree.records.findById(scope, wantedIds);
  const missing = (what: string) =>
    new AppError("ErrResourcesNotFound", `Cannot ${verb} ${what}: not found`);
  return {
    byPath: wantedPaths.map((path) => {
      const record = foundPaths.get(path);
      if (record === undefined) throw missing(quoted(path));
      return record;
    }),
    byId: wantedIds.map((id) => {
      const record = foundIds.get(id);
      if (record === undefined) throw missing(`the record ${id}`);
      return record;
    }),
  };
}

/** RS 4.7.5; paths are distinct, so two different records at one path means an id is among them. */
export function refuseSharedPath(records: readonly ResourceRecord[], verb: string): void {
  const held = new Map<string, number>();
  for (const { path, id } of records) {
    if ((held.get(path) ?? id) !== id) throw sharedPath(path, verb);
    held.set(path, id);
  }
}

/** The refusal of two different records with one path. */
export function sharedPath(path: string, verb: string): AppError {
  return new AppError(
    "ErrResourcesSharedPath",
    `Cannot ${verb} ${quoted(path)}: two different records have this path`,
  );
}
