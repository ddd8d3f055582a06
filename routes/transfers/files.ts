import type { Context } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { entryOf } from "../../core/entries.ts";
import { changedOwners, changedRecords } from "../../core/tree/change_set.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { downloadFile } from "../../core/tree/download.ts";
import { put } from "../../core/tree/put.ts";
import { remove } from "../../core/tree/remove.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { bodyContent, uploadBodyLimits } from "../request/body.ts";
import { representationOf, requirePreconditions, select } from "../request/conditional.ts";
import { statedDigests, verifyDigests } from "../request/digests.ts";
import { sendFile } from "./download.ts";
import { isTrue, parseQuery } from "../request/query.ts";
import { pathInAddress } from "../request/address_path.ts";
import { entryList } from "../reply/entries.ts";
import { success } from "../reply/envelope.ts";
import { treeOfRequest } from "../serving/at.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { addHeader } from "../reply/respond.ts";

type Handled = Context<AppEnvironment>;

/** How many slashes of an address precede the path: `/api/v1/files/`. */
const SLASHES_BEFORE_PATH = 4;

/** How a request stores its body. */
export interface StoreOptions {
  readonly path: string;
  /** Whether the directory above must be there. @default false: it is made */
  readonly needsParent?: boolean;
}

/** `GET` and `HEAD /files/{+path}` (C 17). */
export async function getFile(c: Handled, tree: Tree): Promise<Response> {
  return await sendPath(c, tree, pathInAddress(c, SLASHES_BEFORE_PATH));
}

/** The file at a path, as the request asks for it. */
export async function sendPath(c: Handled, tree: Tree, path: string): Promise<Response> {
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [path] });
  const found = await downloadFile(await treeOfRequest(c, tree), {
    caller: callerOf(c),
    path,
    select: (record) => select(c.req.raw, representationOf(record)),
  });
  return await sendFile(c, found);
}

/** `PUT /files/{+path}` (C 17). */
export async function putFile(c: Handled, tree: Tree): Promise<Response> {
  const path = pathInAddress(c, SLASHES_BEFORE_PATH);
  const { record, isReplaced } = await storeBody(c, tree, { path });
  return success(c, entryOf(record), isReplaced ? 200 : 201);
}

/** Stores the body of the request at a path. Adds the ETag of the file to the reply. */
export async function storeBody(
  c: Handled,
  tree: Tree,
  { path, needsParent = false }: StoreOptions,
): Promise<{ readonly record: ResourceRecord; readonly isReplaced: boolean }> {
  const { raw } = c.req;
  auditChange(c, { paths: [path] });
  refusePart(raw.headers);
  const digests = statedDigests(raw.headers);
  const { changes, files: [record] } = await put(tree, {
    caller: callerOf(c),
    path,
    content: bodyContent(raw, uploadBodyLimits(tree)),
    declaredSize: Number(raw.headers.get("Content-Length") ?? 0),
    requireCondition: (found) => requirePreconditions(raw.headers, found),
    needsParent,
    verify: (received) => verifyDigests(digests, received),
  });
  if (record === undefined) throw new Error("The file has no record");
  auditChange(c, { paths: [record.path], records: changedOwners(changes) });
  const isReplaced = changes.some(({ kind, records }) => kind === "updated" && records.length > 0);
  addHeader(c, "ETag", representationOf(record).etag);
  return { record, isReplaced };
}

/** `DELETE /files/{+path}` (C 17). */
export async function deleteFile(c: Handled, tree: Tree): Promise<Response> {
  const paths = [pathInAddress(c, SLASHES_BEFORE_PATH)];
  const purges = isTrue(parseQuery(c.req.url), "purge");
  const named = { paths, details: { purge: purges ? "yes" : undefined } };
  auditChange(c, named);
  const changes = await remove(tree, {
    caller: callerOf(c),
    paths,
    purges,
    requireCondition: (found) => requirePreconditions(c.req.raw.headers, found),
  });
  auditChange(c, { ...named, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "deleted"));
}

/** Refuses a body that is a part of the content (RFC 9110, 14.5). */
export function refusePart(headers: Headers): void {
  const range = headers.get("Content-Range");
  if (range === null) return;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot upload a part of a file: Content-Range is ${quoted(range)}, expected none`,
  );
}
