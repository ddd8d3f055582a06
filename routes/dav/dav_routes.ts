import { AppError } from "../../core/errors.ts";
import type { ServedRoute, Services } from "../serving/route.ts";
import { get, mkcol, put, removePath, transfer } from "./changes.ts";
import { requireIf } from "./conditions.ts";
import { lock, unlock } from "./locks.ts";
import { propfind } from "./propfind.ts";
import { proppatch } from "./proppatch.ts";
import { emptyReply, refusalReply } from "./replies.ts";
import { DAV_PATH, type Handled, type Target, targetOf } from "./target.ts";

/** A method of WebDAV, which is served at all addresses of all trees. */
interface DavMethod extends Pick<ServedRoute, "method" | "privilege" | "action" | "load"> {
  readonly handle: (c: Handled, services: Services, target: Target) => Promise<Response>;
}

/** Every method of WebDAV but OPTIONS (C 30). */
const METHODS: readonly DavMethod[] = [
  { method: "PROPFIND", privilege: "resources.view", handle: propfind },
  { method: "GET", privilege: "resources.download", load: "transfer", handle: get },
  {
    ...{ method: "PUT", privilege: "resources.upload", load: "transfer" },
    ...{ action: "resources.upload", handle: put },
  },
  {
    ...{ method: "MKCOL", privilege: "resources.edit" },
    ...{ action: "resources.mkdir", handle: mkcol },
  },
  {
    ...{ method: "DELETE", privilege: "resources.delete" },
    ...{ action: "resources.delete", handle: removePath },
  },
  {
    ...{ method: "COPY", privilege: "resources.edit" },
    ...{ action: "resources.copy", handle: transfer },
  },
  {
    ...{ method: "MOVE", privilege: "resources.edit" },
    ...{ action: "resources.move", handle: transfer },
  },
  {
    ...{ method: "PROPPATCH", privilege: "resources.edit" },
    ...{ action: "dav.properties", handle: proppatch },
  },
  { method: "LOCK", privilege: "resources.edit", action: "dav.lock", handle: lock },
  { method: "UNLOCK", privilege: "resources.edit", action: "dav.unlock", handle: unlock },
];

const ALLOWED = ["OPTIONS", "HEAD", ...METHODS.map(({ method }) => method)].sort().join(", ");

const PATHS = ["/t/{tree}/{+path}", "/t/{tree}", "/{+path}", ""];

/** Every route of WebDAV (C 30). See docs/design/webdav.md. */
export const DAV_ROUTES: readonly ServedRoute[] = PATHS.flatMap((path): ServedRoute[] => [
  { method: "OPTIONS", path: DAV_PATH + path, handle: options },
  ...METHODS.map(({ handle, ...route }): ServedRoute => ({
    ...route,
    path: DAV_PATH + path,
    tree: "address",
    basic: true,
    handle: (c, services) => served(c, services, handle),
  })),
]);

/** `OPTIONS`, which some clients send without a credential (RFC 4918, 10.1). */
function options(c: Handled): Response {
  return emptyReply(c, 200, { DAV: "1, 2, 3", Allow: ALLOWED, "MS-Author-Via": "DAV" });
}

/** Serves a request whose header `If` holds. Refusals have the form of WebDAV. */
async function served(
  c: Handled,
  services: Services,
  handle: DavMethod["handle"],
): Promise<Response> {
  const target = targetOf(c, services.publicUrl);
  try {
    await requireIf(c, services, target);
    return await handle(c, services, target);
  } catch (error) {
    if (error instanceof AppError && error.kind !== "ErrInternal") {
      return refusalReply(c, target, error);
    }
    throw error;
  }
}
