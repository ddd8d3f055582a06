import { AppError, quoted } from "../../core/errors.ts";
import { ownerOf } from "../../core/caller.ts";
import { changedOwners, type ChangeSet } from "../../core/tree/change_set.ts";
import { copy } from "../../core/tree/copy.ts";
import { Locks } from "../../core/tree/locked.ts";
import { mkdir } from "../../core/tree/mkdir.ts";
import { move } from "../../core/tree/move.ts";
import { remove } from "../../core/tree/remove.ts";
import { release } from "../../core/record_lists.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { isLargeBody } from "../request/byte_reader.ts";
import { requirePreconditions } from "../request/conditional.ts";
import type { Services } from "../serving/route.ts";
import { sendPath, storeBody } from "../transfers/files.ts";
import { depthOf } from "./propfind.ts";
import { DavRefusal, emptyReply } from "./replies.ts";
import { type Handled, pathNamed, type Target } from "./target.ts";

/** `GET` and `HEAD`. */
export async function get(c: Handled, { tree }: Services, { path }: Target): Promise<Response> {
  if (path !== "") return await sendPath(c, tree, path);
  throw new AppError("ErrResourcesNotFound", "Cannot download the tree as a file");
}

/** `PUT` (RFC 4918, 9.7): the directory above must be there. */
export async function put(c: Handled, services: Services, { path }: Target): Promise<Response> {
  requireBelowRoot(path, 405);
  if (isLargeBody(c.req.header("Content-Length"))) {
    // Else a lock would be found after all of the body.
    const caller = callerOf(c);
    new Locks(await services.dav.locksOf(ownerOf(caller), Date.now())).require(path, caller);
  }
  const { isReplaced } = await storeBody(c, services.tree, { path, needsParent: true });
  return emptyReply(c, isReplaced ? 204 : 201);
}

/** `MKCOL` (RFC 4918, 9.3). */
export async function mkcol(c: Handled, { tree }: Services, { path }: Target): Promise<Response> {
  requireBelowRoot(path, 405);
  auditChange(c, { paths: [path] });
  if (hasBody(c)) {
    throw new DavRefusal(415, "ErrResourcesInvalidRequest", "A MKCOL has no body");
  }
  await mkdir(tree, { caller: callerOf(c), path, isExact: true });
  return emptyReply(c, 201);
}

/** `DELETE` (RFC 4918, 9.6): all or nothing. */
export async function removePath(
  c: Handled,
  { tree }: Services,
  { path }: Target,
): Promise<Response> {
  requireBelowRoot(path, 403);
  auditChange(c, { paths: [path] });
  const changes = await remove(tree, {
    caller: callerOf(c),
    paths: [path],
    requireCondition: (found) => requirePreconditions(c.req.raw.headers, found),
  });
  return changed(c, changes, { paths: [path] }, 204);
}

/** `COPY` and `MOVE` (RFC 4918, 9.8 and 9.9). */
export async function transfer(
  c: Handled,
  services: Services,
  { path }: Target,
): Promise<Response> {
  const { tree, publicUrl } = services;
  requireBelowRoot(path, 403);
  const address = c.req.header("Destination");
  if (address === undefined) {
    throw new AppError("ErrResourcesInvalidRequest", "The Destination header is missing");
  }
  const destination = pathNamed(c, publicUrl, address);
  const named = { paths: [path], details: { destination } };
  auditChange(c, named);
  if (destination === undefined) {
    const message = `Cannot reach ${quoted(address)}: it is not in this tree`;
    throw new DavRefusal(502, "ErrResourcesInvalidRequest", message);
  }
  requireBelowRoot(destination, 403);
  const depth = depthOf(c) ?? "infinity";
  const isMove = c.req.method === "MOVE";
  if (depth === "1" || isMove && depth === "0") {
    const message = `Invalid Depth ${depth} of a ${c.req.method}`;
    throw new DavRefusal(400, "ErrResourcesInvalidRequest", message);
  }
  const request = {
    ...{ caller: callerOf(c), sources: [path], destination, isExact: true },
    force: c.req.header("Overwrite")?.trim().toUpperCase() !== "F",
  };
  const changes = isMove
    ? await move(tree, request)
    : await copy(tree, { ...request, isShallow: depth === "0" });
  const isReplaced = changes.some(({ kind, records }) => kind === "deleted" && records.length > 0);
  return changed(c, changes, named, isReplaced ? 204 : 201);
}

function changed(
  c: Handled,
  changes: ChangeSet,
  named: { readonly paths: readonly string[] },
  status: 201 | 204,
): Response {
  auditChange(c, { ...named, records: changedOwners(changes) });
  for (const { records } of changes) release(records);
  return emptyReply(c, status);
}

/** The root of a tree is always there. */
function requireBelowRoot(path: string, status: 403 | 405): void {
  if (path !== "") return;
  throw new DavRefusal(status, "ErrResourcesInvalidRequest", "The root of a tree stays as it is");
}

function hasBody(c: Handled): boolean {
  const length = c.req.header("Content-Length");
  return length === undefined ? c.req.header("Transfer-Encoding") !== undefined : length !== "0";
}
