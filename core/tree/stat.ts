import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";
import { type FileWithVerdict, withVerdicts } from "./verdicts.ts";

/** A record with what is known of its content. */
export interface Stat {
  readonly record: ResourceRecord;
  /** Undefined for a directory. */
  readonly file: FileWithVerdict | undefined;
}

/**
 * Finds one record with what is known of its content (C 17).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when not exactly one path or id is given, or the path
 *   is invalid, `ErrResourcesNotFound` when it has no record.
 */
export async function stat(tree: Tree, request: TargetRequest): Promise<Stat> {
  const record = await onlyTarget(tree, request, "stat");
  const [file] = record.isDir ? [] : await withVerdicts(tree, [record]);
  return { record, file };
}
