import * as operations from "../openapi/history.ts";
import type { Route } from "../serving/route.ts";
import { restoreResource, showHistory } from "./history.ts";

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
];
