import * as operations from "../openapi/mirror.ts";
import type { Route } from "../serving/route.ts";
import {
  deleteMirrored,
  getMirrorArchive,
  listMirror,
  listMirrorFiles,
  patchMirrored,
  postMirrored,
  postMirrorFetch,
  putMirrorArchive,
} from "./mirror.ts";

/** The routes about what is mirrored of another hub (C 28), relative to the base. */
export const MIRROR_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/mirror",
    privilege: "mirror.use",
    operation: operations.LIST,
    handle: (c, services) => listMirror(c, services),
  },
  {
    method: "POST",
    path: "/mirror",
    privilege: "mirror.use",
    action: "mirror.ask",
    operation: operations.ASK,
    handle: (c, services) => postMirrored(c, services),
  },
  {
    method: "GET",
    path: "/mirror/{id}/files",
    privilege: "mirror.use",
    operation: operations.FILES,
    handle: (c, services) => listMirrorFiles(c, services),
  },
  {
    method: "POST",
    path: "/mirror/{id}/fetches",
    privilege: "mirror.use",
    action: "mirror.fetch",
    operation: operations.FETCH,
    handle: (c, services) => postMirrorFetch(c, services),
  },
  {
    method: "GET",
    path: "/mirror/{id}/archive",
    privilege: "resources.admin",
    load: "transfer",
    operation: operations.EXPORT,
    handle: (c, services) => getMirrorArchive(c, services),
  },
  {
    method: "PUT",
    path: "/mirror-archive",
    privilege: "resources.admin",
    action: "mirror.import",
    load: "transfer",
    operation: operations.IMPORT,
    handle: (c, services) => putMirrorArchive(c, services),
  },
  {
    method: "PATCH",
    path: "/mirror/{id}",
    privilege: "resources.admin",
    action: "mirror.pin",
    operation: operations.PIN,
    handle: (c, services) => patchMirrored(c, services),
  },
  {
    method: "DELETE",
    path: "/mirror/{id}",
    privilege: "resources.admin",
    action: "mirror.delete",
    operation: operations.REMOVE,
    handle: (c, services) => deleteMirrored(c, services),
  },
];
