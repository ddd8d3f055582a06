import type { ServedRoute } from "../route.ts";
import { expand, type HubRoute } from "./hub_route.ts";
import { postRepository } from "./create.ts";
import { showInfo } from "./info.ts";
import { postPreupload } from "./preupload.ts";
import { showRepositories } from "./repositories.ts";
import { resolveFile } from "./resolve.ts";
import { showPaths, showTree } from "./tree.ts";
import { whoAmI } from "./whoami.ts";

const READING: readonly HubRoute[] = [
  { method: "GET", path: "/api/whoami-v2", privilege: "resources.view", handle: whoAmI },
  { method: "GET", path: "{api}", privilege: "resources.view", handle: showRepositories },
  { method: "GET", path: "{api}/{ns}/{name}", privilege: "resources.view", handle: showInfo },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/revision/{rev}",
    privilege: "resources.view",
    handle: showInfo,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/tree/{rev}",
    privilege: "resources.view",
    handle: showTree,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/tree/{rev}/{+path}",
    privilege: "resources.view",
    handle: showTree,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/paths-info/{rev}",
    privilege: "resources.view",
    handle: showPaths,
  },
  {
    method: "GET",
    path: "{web}/{ns}/{name}/resolve/{rev}/{+path}",
    privilege: "resources.download",
    load: "transfer",
    handle: resolveFile,
  },
];

const WRITING: readonly HubRoute[] = [
  {
    method: "POST",
    path: "/api/repos/create",
    privilege: "resources.upload",
    action: "hub.create",
    handle: postRepository,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/preupload/{rev}",
    privilege: "resources.upload",
    load: "transfer",
    handle: postPreupload,
  },
];

/** Every route of the hub (C 20). */
export const HUB_ROUTES: readonly ServedRoute[] = [...READING, ...WRITING].flatMap(expand);
