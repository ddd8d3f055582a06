import type { Context } from "hono";
import { type ChangeSet, recordsOf, type Tree } from "../core/tree/changes.ts";
import { copy } from "../core/tree/copy.ts";
import { list, type ListRequest } from "../core/tree/list.ts";
import { mkdir } from "../core/tree/mkdir.ts";
import { move } from "../core/tree/move.ts";
import { remove } from "../core/tree/remove.ts";
import type { TransferRequest } from "../core/tree/plan_transfer.ts";
import { stat } from "../core/tree/stat.ts";
import { upload } from "../core/tree/upload.ts";
import { listVerdicts } from "../core/tree/verdicts.ts";
import { MkdirResourceRequest, TransferResourceRequest } from "../schemas/resources.ts";
import { auditChange } from "./audit.ts";
import { callerOf } from "./auth.ts";
import { batchesOf, entryList, entryOf, listReply } from "./entries.ts";
import { statOf, verdictEntryOf } from "./verdicts.ts";
import { success } from "./envelope.ts";
import type { AppEnvironment } from "./environment.ts";
import { jsonBody } from "./body.ts";
import { uploadParts } from "./multipart.ts";
import { idsOf, parseQuery, pathsOf } from "./query.ts";

type Handled = Context<AppEnvironment>;

/** `GET /resources/` (RS 4.1). */
export async function listResources(c: Handled, tree: Tree): Promise<Response> {
  return await entryList(c, list(tree, listRequest(c)));
}

/** `GET /resources/verdicts` (C 18). */
export async function showVerdicts(c: Handled, tree: Tree): Promise<Response> {
  return await listReply(c, listVerdicts(tree, listRequest(c)), verdictEntryOf);
}

function listRequest(c: Handled): ListRequest {
  const query = parseQuery(c.req.url);
  const recursive = ["true", "1"].includes(query.get("recursive")?.[0] ?? "");
  return { caller: callerOf(c), paths: pathsOf(query), recursive };
}

/** `GET /resources/stat` (C 17). */
export async function statResource(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const request = { caller: callerOf(c), paths: pathsOf(query), ids: idsOf(query) };
  return success(c, statOf(await stat(tree, request)));
}

/** `POST /resources/` (RS 4.2). */
export async function uploadResources(c: Handled, tree: Tree): Promise<Response> {
  const dir = parseQuery(c.req.url).get("dir")?.[0] ?? "";
  const parts = uploadParts(c.req.raw, { maxBytes: tree.limits.maxUploadRequestSize });
  auditChange(c, { paths: [dir] });
  const changes = await upload(tree, { caller: callerOf(c), dir, parts });
  const files = recordsOf(changes, "added").filter((record) => !record.isDir);
  auditChange(c, { paths: files.map((file) => file.path), changes });
  return await entryList(c, batchesOf(files));
}

/** `POST /resources/mkdir` (RS 4.3). */
export async function mkdirResource(c: Handled, tree: Tree): Promise<Response> {
  const { path } = await jsonBody(c.req.raw, MkdirResourceRequest);
  auditChange(c, { paths: [path] });
  return success(c, entryOf(await mkdir(tree, { caller: callerOf(c), path })));
}

/** `PUT /resources/move` (RS 4.4). */
export function moveResources(c: Handled, tree: Tree): Promise<Response> {
  return transferred(c, (request) => move(tree, request));
}

/** `POST /resources/copy` (RS 4.5). */
export function copyResources(c: Handled, tree: Tree): Promise<Response> {
  return transferred(c, (request) => copy(tree, request));
}

/** Responds with the added entries, then the updated ones (RS 4.4, 4.5). */
async function transferred(
  c: Handled,
  transfer: (request: TransferRequest) => Promise<ChangeSet>,
): Promise<Response> {
  const body = await jsonBody(c.req.raw, TransferResourceRequest);
  const { source, sources, destination, force } = body;
  const all = [...sources, ...(source === null ? [] : [source])];
  const named = { paths: all, details: { destination } };
  auditChange(c, named);
  const changes = await transfer({ caller: callerOf(c), sources: all, destination, force });
  auditChange(c, { ...named, changes });
  return await entryList(
    c,
    batchesOf([...recordsOf(changes, "added"), ...recordsOf(changes, "updated")]),
  );
}

/** `DELETE /resources/` (RS 4.6). */
export async function deleteResources(c: Handled, tree: Tree): Promise<Response> {
  const paths = pathsOf(parseQuery(c.req.url));
  auditChange(c, { paths });
  const changes = await remove(tree, { caller: callerOf(c), paths });
  auditChange(c, { paths, changes });
  return await entryList(c, batchesOf(recordsOf(changes, "deleted")));
}
