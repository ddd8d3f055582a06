import type { ResourceRecord } from "../ports.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";
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
  const record = await onlyTarget(tree, request, "stat");
  if (record.isDir) return { record, content: null, isBlocked: false };
  const content = await tree.verdicts.on(record);
  return { record, content, isBlocked: isBlocked(tree, record, content) };
}
