import type { Context } from "hono";
import type { Tree } from "../../core/tree/changes.ts";
import { usage } from "../../core/tree/usage.ts";
import type { Usage } from "../../schemas/usage.ts";
import { callerOf } from "../serving/auth.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery, wantsAll } from "../request/query.ts";

/** `GET /usage/` (C 22). */
export async function showUsage(c: Context<AppEnvironment>, tree: Tree): Promise<Response> {
  const found = await usage(tree, {
    caller: callerOf(c),
    all: wantsAll(parseQuery(c.req.url)),
    signal: c.req.raw.signal,
  });
  const held: Usage = {
    files: found.files,
    directories: found.records - found.files,
    bytes: found.bytes,
    stored_bytes: found.storedBytes,
    uploading: found.uploading,
    tagged_bytes: found.taggedBytes,
    history_bytes: found.historyBytes,
    quota: found.quota ?? null,
  };
  return success(c, held);
}
