import type { Context } from "hono";
import { AppError } from "../../core/errors.ts";
import { ownerOf } from "../../core/caller.ts";
import type { At } from "../../core/history.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { treeAt } from "../../core/tree/past_tree.ts";
import { parseTime } from "../../schemas/units.ts";
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

/**
 * The version that a text names.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`
 */
export function atIn(text: string): At {
  if (/^\d{1,15}$/.test(text)) return { version: Number(text) };
  const time = parseTime(text);
  if (time !== undefined) return { time };
  if (text !== "" && !text.includes("\0")) return { name: text };
  throw new AppError(
    "ErrResourcesInvalidRequest",
    "Invalid at: expected a version, an RFC 3339 time such as 2026-11-22T09:00:00Z, or a tag",
  );
}
