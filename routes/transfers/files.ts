import type { Context } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
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
import { entryList } from "../reply/entries.ts";
import { success } from "../reply/envelope.ts";
import { treeOfRequest } from "../serving/at.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { addHeader } from "../reply/respond.ts";

type Handled = Context<AppEnvironment>;

/** How many slashes of an address precede the path: `/api/v1/files/`. */
const SLASHES_BEFORE_PATH = 4;

/** `GET` and `HEAD /files/{+path}` (C 17). */
export async function getFile(c: Handled, tree: Tree): Promise<Response> {
  const path = filePathOf(c);
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
  const { raw } = c.req;
  const path = filePathOf(c);
  auditChange(c, { paths: [path] });
  refusePart(raw.headers);
  const digests = statedDigests(raw.headers);
  const { changes, files: [record] } = await put(tree, {
    caller: callerOf(c),
    path,
    content: bodyContent(raw, uploadBodyLimits(tree)),
    declaredSize: Number(raw.headers.get("Content-Length") ?? 0),
    requireCondition: (found) => requirePreconditions(raw.headers, found),
    verify: (received) => verifyDigests(digests, received),
  });
  if (record === undefined) throw new Error("The file has no record");
  auditChange(c, { paths: [record.path], records: changedOwners(changes) });
  const isReplaced = changes.some(({ kind, records }) => kind === "updated" && records.length > 0);
  addHeader(c, "ETag", representationOf(record).etag);
  return success(c, entryOf(record), isReplaced ? 200 : 201);
}

/** `DELETE /files/{+path}` (C 17). */
export async function deleteFile(c: Handled, tree: Tree): Promise<Response> {
  const paths = [filePathOf(c)];
  auditChange(c, { paths });
  const changes = await remove(tree, {
    caller: callerOf(c),
    paths,
    requireCondition: (found) => requirePreconditions(c.req.raw.headers, found),
  });
  auditChange(c, { paths, records: changedOwners(changes) });
  return await entryList(c, changedRecords(changes, "deleted"));
}

/** The path in the address, decoded once. A plus is a plus. */
function filePathOf(c: Handled): string {
  const [address = ""] = /^[^?#]*/.exec(c.req.url) ?? [];
  const afterOrigin = address.slice(address.indexOf("/", address.indexOf("://") + 3));
  // A proxy may have left the path of the public URL, which that of the route lacks.
  const slash = afterOrigin.endsWith("/") ? "/" : "";
  const inPath = `${c.req.path}${slash}`.split("/").length - SLASHES_BEFORE_PATH;
  const encoded = afterOrigin.split("/").slice(-inPath).join("/");
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(encoded)}: it is not percent-encoded UTF-8`,
      { cause: error },
    );
  }
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
