import type { Context } from "hono";
import { atIn } from "../../core/at.ts";
import { isoTime } from "../../core/entries.ts";
import type { Tag } from "../../core/history_changes.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { addTag, listTags, removeTag } from "../../core/tree/tags.ts";
import { type TagEntry, type TagList, TagRequest } from "../../schemas/tags.ts";
import { success } from "../reply/envelope.ts";
import { jsonBody } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { pageOf, parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";

type Handled = Context<AppEnvironment>;

/** `POST /tags/` (C 26). */
export async function postTag(c: Handled, tree: Tree): Promise<Response> {
  const { name, path, at, message } = await jsonBody(c.req.raw, TagRequest);
  auditChange(c, { paths: [path], details: { tag: name, at: at ?? undefined } });
  const tag = await addTag(tree, {
    caller: callerOf(c),
    name,
    path,
    at: at == null ? undefined : atIn(String(at)),
    message: message ?? undefined,
  });
  return success(c, entryOf(tag));
}

/** `GET /tags/`: newest first (C 26). */
export async function getTags(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const path = query.get("path")?.[0];
  const found = await listTags(tree, { caller: callerOf(c), path, ...pageOf(query) });
  const list: TagList = { items: found.map(entryOf), total: found.length };
  return success(c, list);
}

/** `DELETE /tags/` (C 26). */
export async function deleteTag(c: Handled, tree: Tree): Promise<Response> {
  const name = parseQuery(c.req.url).get("name")?.[0] ?? "";
  auditChange(c, { paths: [], details: { tag: name } });
  const tag = await removeTag(tree, callerOf(c), name);
  auditChange(c, { paths: [tag.path], details: { tag: name } });
  return success(c, entryOf(tag));
}

function entryOf(tag: Tag): TagEntry {
  const { id, userId, name, path, version, message, createdBy, createdAt, files, bytes } = tag;
  return {
    ...{ id, user_id: userId, name, path, version, message },
    created_by: createdBy,
    created_at: isoTime(createdAt),
    files,
    size: bytes,
  };
}
