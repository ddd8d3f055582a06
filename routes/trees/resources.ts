import type { Context } from "hono";
import type { Chunk } from "../../core/content.ts";
import { entryOf } from "../../core/entries.ts";
import { batchesOf } from "../../core/record_lists.ts";
import { changedOwners, changedRecords, type ChangeSet } from "../../core/tree/change_set.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { checksums, type FileChecksum } from "../../core/tree/checksums.ts";
import { copy } from "../../core/tree/copy.ts";
import { listJson, type ListRequest } from "../../core/tree/list.ts";
import { mkdir } from "../../core/tree/mkdir.ts";
import { move } from "../../core/tree/move.ts";
import { remove } from "../../core/tree/remove.ts";
import type { TransferRequest } from "../../core/tree/plan_transfer.ts";
import { stat } from "../../core/tree/stat.ts";
import { upload } from "../../core/tree/upload.ts";
import { listDecisions } from "../../core/tree/decisions.ts";
import { listVerdicts } from "../../core/tree/verdicts.ts";
import {
  DeleteResourceRequest,
  MkdirResourceRequest,
  OnConflict,
  TransferResourceRequest,
  UploadPaths,
} from "../../schemas/resources.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { entryList, listReply } from "../reply/entries.ts";
import { decisionLists } from "../reply/decisions.ts";
import { statOf, verdictLists } from "../reply/verdicts.ts";
import { success } from "../reply/envelope.ts";
import { treeOfRequest } from "../serving/at.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { jsonBody, uploadBodyLimits } from "../request/body.ts";
import { uploadParts } from "../request/multipart.ts";
import { idsOf, isTrue, parseQuery, pathsOf, wordOf } from "../request/query.ts";
import { streamed } from "../reply/streamed.ts";

type Handled = Context<AppEnvironment>;

const encoder = new TextEncoder();

/** `GET /resources/` (RS 4.1). */
export async function listResources(c: Handled, tree: Tree): Promise<Response> {
  return await listReply(c, listJson(await treeOfRequest(c, tree), listRequest(c)));
}

/** `GET /resources/verdicts` (C 18). */
export async function showVerdicts(c: Handled, tree: Tree): Promise<Response> {
  return await listReply(
    c,
    verdictLists(listVerdicts(await treeOfRequest(c, tree), listRequest(c))),
  );
}

/** `GET /resources/policy` (C 28). */
export async function showDecisions(c: Handled, tree: Tree): Promise<Response> {
  const [path = ""] = parseQuery(c.req.url).get("path") ?? [];
  return await listReply(c, decisionLists(listDecisions(tree, { caller: callerOf(c), path })));
}

function listRequest(c: Handled): ListRequest {
  const query = parseQuery(c.req.url);
  const recursive = isTrue(query, "recursive");
  return { caller: callerOf(c), paths: pathsOf(query), recursive };
}

/** `GET /resources/stat` (C 17). */
export async function statResource(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const request = { caller: callerOf(c), paths: pathsOf(query), ids: idsOf(query) };
  return success(c, statOf(await stat(await treeOfRequest(c, tree), request)));
}

/** `GET /resources/checksums` (C 17). */
export async function listChecksums(c: Handled, tree: Tree): Promise<Response> {
  const [path = ""] = parseQuery(c.req.url).get("path") ?? [];
  const caller = callerOf(c);
  const abort = new AbortController();
  const files = checksums(await treeOfRequest(c, tree), { caller, path, signal: abort.signal });
  return await streamed(c, checksumLines(files), {
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    onCancel: () => abort.abort(),
  });
}

/** Lines that `sha256sum -c` reads. No path needs to be escaped (C 4). */
async function* checksumLines(
  batches: AsyncIterable<readonly FileChecksum[]>,
): AsyncGenerator<Chunk> {
  for await (const batch of batches) {
    yield encoder.encode(batch.map(({ sha256, path }) => `${sha256}  ${path}\n`).join(""));
  }
}

/** `POST /resources/` (RS 4.2, C 17). */
export async function uploadResources(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const dir = query.get("dir")?.[0] ?? "";
  const keepsPaths = wordOf(query, "paths", UploadPaths) === "keep";
  const onConflict = wordOf(query, "on_conflict", OnConflict) ?? "error";
  const parts = uploadParts(c.req.raw, uploadBodyLimits(tree));
  auditChange(c, { paths: [dir] });
  const declaredSize = Number(c.req.raw.headers.get("Content-Length") ?? 0);
  await tree.blobs.requireSpace(Math.min(declaredSize, tree.limits.maxUploadRequestSize));
  const { changes, files } = await upload(tree, {
    caller: callerOf(c),
    dir,
    parts,
    keepsPaths,
    onConflict,
  });
  auditChange(c, { paths: files.map((file) => file.path), records: changedOwners(changes) });
  return await entryList(c, batchesOf([files]));
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
  auditChange(c, { ...named, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "added", "updated"));
}

/** `DELETE /resources/` (RS 4.6). */
export async function deleteResources(c: Handled, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  return await deleted(c, tree, { paths: pathsOf(query), purges: isTrue(query, "purge") });
}

/** `POST /resources/delete`: the same, by a body. */
export async function deleteManyResources(c: Handled, tree: Tree): Promise<Response> {
  const { paths, purge } = await jsonBody(c.req.raw, DeleteResourceRequest);
  return await deleted(c, tree, { paths, purges: purge });
}

async function deleted(
  c: Handled,
  tree: Tree,
  { paths, purges }: { readonly paths: readonly string[]; readonly purges: boolean },
): Promise<Response> {
  const named = { paths, details: { purge: purges ? "yes" : undefined } };
  auditChange(c, named);
  const changes = await remove(tree, { caller: callerOf(c), paths, purges });
  auditChange(c, { ...named, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "deleted"));
}
