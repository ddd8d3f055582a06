import type { Context } from "hono";
import { atIn } from "../../core/at.ts";
import { ownerOf } from "../../core/caller.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { treeAt } from "../../core/tree/past_tree.ts";
import { addHeader } from "../reply/respond.ts";
import { callerOf } from "./auth.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery } from "../request/query.ts";

/**
 * The tree that a request reads: as it is, or with the parameter `at`, as it was (C 26). Then the reply says which
 * version that is.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is blank, `ErrVersionsNotFound`
 *   when the version is not kept.
 */
export async function treeOfRequest(c: Context<AppEnvironment>, tree: Tree): Promise<Tree> {
  const text = parseQuery(c.req.url).get("at")?.[0];
  if (text === undefined) return tree;
  const past = await treeAt(tree, ownerOf(callerOf(c)), atIn(text));
  addHeader(c, "X-Version", String(past.version));
  return past.tree;
}
