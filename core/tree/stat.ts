import { AppError } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { resolveTargets, type TargetRequest } from "./targets.ts";
import { isBlocked } from "./verdicts.ts";

/** A record with what is known of its content. */
export interface Stat {
  readonly record: ResourceRecord;
  /** Null for a directory. */
  readonly content: ContentVerdict | null;
  /** Whether the gate refuses it. */
  readonly isBlocked: boolean;
}

/**
 * Finds one record with what is known of its content (C 17).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when not exactly one path or id is given, or the path
 *   is invalid, `ErrResourcesNotFound` when it has no record.
 */
export async function stat(tree: Tree, request: TargetRequest): Promise<Stat> {
  const { caller, ids } = request;
  const paths = request.paths.filter((path) => path.trim() !== "");
  if (paths.length + ids.length !== 1) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot stat: expected one path or id");
  }
  const { byPath, byId } = await resolveTargets(tree, { caller, paths, ids }, "stat");
  const [record] = [...byPath, ...byId];
  if (record === undefined) throw new Error("No record was found, and none was missed");
  if (record.isDir) return { record, content: null, isBlocked: false };
  const content = await tree.verdicts.on(record);
  return { record, content, isBlocked: isBlocked(tree, record, content) };
}
