import * as operations from "../openapi/history.ts";
import type { Route } from "../serving/route.ts";
import {
  deleteTrash,
  purgeResources,
  restoreResource,
  showDiff,
  showHistory,
  showTrash,
} from "./history.ts";
import { deleteTag, getTags, postTag } from "./tags.ts";

/** The routes about what trees were (C 26), relative to the base. */
export const HISTORY_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/resources/history",
    privilege: "resources.view",
    tree: true,
    operation: operations.HISTORY,
    handle: (c, { tree }) => showHistory(c, tree),
  },
  {
    method: "POST",
    path: "/resources/restore",
    privilege: "resources.edit",
    tree: true,
    action: "resources.restore",
    operation: operations.RESTORE,
    handle: (c, { tree }) => restoreResource(c, tree),
  },
  {
    method: "GET",
    path: "/resources/diff",
    privilege: "resources.view",
    tree: true,
    operation: operations.DIFF,
    handle: (c, { tree }) => showDiff(c, tree),
  },
  {
    method: "GET",
    path: "/resources/trash",
    privilege: "resources.view",
    tree: true,
    operation: operations.TRASH,
    handle: (c, { tree }) => showTrash(c, tree),
  },
  {
    method: "DELETE",
    path: "/resources/trash",
    privilege: "resources.delete",
    tree: true,
    action: "trash.delete",
    operation: operations.EMPTY_TRASH,
    handle: (c, { tree }) => deleteTrash(c, tree),
  },
  {
    method: "POST",
    path: "/resources/purge",
    privilege: "resources.admin",
    action: "resources.purge",
    operation: operations.PURGE,
    handle: (c, { tree }) => purgeResources(c, tree),
  },
  {
    method: "POST",
    path: "/tags",
    privilege: "resources.edit",
    tree: true,
    action: "tags.add",
    operation: operations.ADD_TAG,
    handle: (c, { tree }) => postTag(c, tree),
  },
  {
    method: "GET",
    path: "/tags",
    privilege: "resources.view",
    tree: true,
    operation: operations.TAGS,
    handle: (c, { tree }) => getTags(c, tree),
  },
  {
    method: "DELETE",
    path: "/tags",
    privilege: "resources.delete",
    tree: true,
    action: "tags.remove",
    operation: operations.REMOVE_TAG,
    handle: (c, { tree }) => deleteTag(c, tree),
  },
];
