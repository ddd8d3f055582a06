import * as operations from "../openapi/uploads.ts";
import type { Route } from "../serving/route.ts";
import { UPLOADS_PATH } from "./tus.ts";
import {
  deleteUpload,
  describeUploads,
  getUpload,
  overrideMethod,
  patchUpload,
  postUpload,
} from "./uploads.ts";

const UPLOAD_PATH = `${UPLOADS_PATH}/{id}`;

/** The routes of uploads that can be resumed (C 21), relative to the base. */
export const UPLOAD_ROUTES: readonly Route[] = [
  {
    method: "OPTIONS",
    path: UPLOADS_PATH,
    operation: operations.DESCRIBE,
    handle: describeUploads,
  },
  {
    method: "POST",
    path: UPLOADS_PATH,
    privilege: "resources.upload",
    tree: true,
    action: "uploads.create",
    load: "transfer",
    operation: operations.CREATE,
    handle: (c, { uploads }) => postUpload(c, uploads),
  },
  {
    method: "GET",
    path: UPLOAD_PATH,
    privilege: "resources.upload",
    tree: true,
    // One that has received everything is completed.
    action: "resources.upload",
    operation: operations.FIND,
    handle: (c, { uploads }) => getUpload(c, uploads),
  },
  {
    method: "PATCH",
    path: UPLOAD_PATH,
    privilege: "resources.upload",
    tree: true,
    action: "resources.upload",
    load: "transfer",
    operation: operations.APPEND,
    handle: (c, { uploads }) => patchUpload(c, uploads),
  },
  {
    method: "POST",
    path: UPLOAD_PATH,
    privilege: "resources.upload",
    tree: true,
    action: "resources.upload",
    load: "transfer",
    operation: operations.OVERRIDE,
    handle: (c, { uploads }) => overrideMethod(c, uploads),
  },
  {
    method: "DELETE",
    path: UPLOAD_PATH,
    privilege: "resources.upload",
    tree: true,
    action: "uploads.delete",
    operation: operations.REMOVE,
    handle: (c, { uploads }) => deleteUpload(c, uploads),
  },
];
