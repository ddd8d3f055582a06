import { listTree, pathsInfo } from "../../core/hub/tree_list.ts";
import { PathsInfo } from "../../schemas/hub.ts";
import { MIB } from "../../schemas/units.ts";
import { jsonBody, jsonBytes } from "../request/body.ts";
import { parseQuery } from "../request/query.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { cursorOf, flagOf, linkTo, pageSizeOf } from "./query.ts";
import { existingOf, type Handled, hubList, revisionOf } from "./replies.ts";

/** How long a form may take, in milliseconds. */
const MAX_FORM_MS = 120_000;

/** `GET /api/models/{repo}/tree/{rev}[/{path}]` (C 20). */
export async function showTree(
  c: Handled,
  { hub, publicUrl }: Services,
  mount: Mount,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const named = revisionOf(c, mount);
  const path = c.req.param("path") ?? "";
  const [recursive, expand] = [flagOf(query, "recursive"), flagOf(query, "expand")];
  const limit = pageSizeOf(query);
  const after = cursorOf(query);
  const { commitId, page } = await listTree(hub, {
    ...named,
    path,
    recursive,
    expand,
    after,
    limit,
  });
  if (page.next === undefined) return hubList(c, page, { "X-Repo-Commit": commitId });
  const { directory, id } = named.repository;
  // By the commit id, so that all pages are from one state.
  const address = [mount.kind, id, "tree", commitId, path].filter((part) => part !== "").join("/");
  const next = linkTo(`${publicUrl.for(c)}${mount.base}/api/${encodeURI(address)}`, {
    recursive: String(recursive),
    expand: String(expand),
    limit: String(limit),
    cursor: page.next.slice(directory.length + 1),
  });
  return hubList(c, page, { "X-Repo-Commit": commitId, Link: next });
}

/** `POST /api/models/{repo}/paths-info/{rev}` (C 20). */
export async function showPaths(c: Handled, { hub }: Services, mount: Mount): Promise<Response> {
  // The mirror may have it, which reads the paths then.
  await existingOf(c, hub, mount);
  const named = revisionOf(c, mount);
  const { commitId, page } = await pathsInfo(hub, { ...named, ...await requestedPaths(c) });
  return hubList(c, page, { "X-Repo-Commit": commitId });
}

/** The paths of a form, which the Python client sends, or of JSON. */
export async function requestedPaths(c: Handled) {
  const { raw } = c.req;
  if (!/^\s*application\/x-www-form-urlencoded/i.test(raw.headers.get("Content-Type") ?? "")) {
    const { paths, expand } = await jsonBody(raw, PathsInfo);
    return { paths: [paths].flat(), expand: expand ?? false };
  }
  const bytes = await jsonBytes(raw, { maxBytes: MIB, withinMs: MAX_FORM_MS });
  const form = parseQuery(`?${new TextDecoder().decode(bytes)}`);
  return { paths: form.get("paths") ?? [], expand: flagOf(form, "expand") };
}
