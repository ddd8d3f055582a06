import { type Caller, ownerOf, requireEveryone } from "../caller.ts";
import type { Usage } from "../usage.ts";
import type { Tree } from "./changes.ts";
import { quotaOf } from "./quota.ts";

/** A request for what trees hold (C 22). */
export interface UsageRequest {
  readonly caller: Caller;
  /** Whether it is about all trees, instead of the one that the request acts in. */
  readonly all: boolean;
  readonly signal: AbortSignal;
}

export interface TreeUsage extends Usage {
  /** The bytes of their contents, each content once. */
  readonly storedBytes: number;
  /** The quota of the tree in bytes, if it has one. */
  readonly quota: number | undefined;
}

/**
 * What a tree holds, or all trees together.
 * See docs/design/usage.md.
 *
 * @throws {AppError} `ErrNotPermitted` when the caller may not ask for all.
 */
export async function usage(tree: Tree, { caller, all, signal }: UsageRequest): Promise<TreeUsage> {
  if (all) requireEveryone(caller);
  const scope = { userId: ownerOf(caller), everyone: all };
  const contents = await tree.records.shares({ by: "content", scope, limit: 0 }, signal);
  return {
    ...await tree.records.usage(scope),
    storedBytes: contents.total.bytes,
    quota: all ? undefined : quotaOf(tree, caller),
  };
}
