import type { LightCommand } from "../commands.ts";
import type { Loaders } from "./run_command.ts";

/** Where the commands are that load nothing of the server, its storage and its scanners. */
export const LIGHT_LOADERS: Loaders<LightCommand> = {
  login: () => import("../remote/login.ts"),
  logout: () => import("../remote/logout.ts"),
  put: () => import("../transfer/put.ts"),
  get: () => import("../transfer/get.ts"),
  sync: () => import("../transfer/sync.ts"),
  cat: () => import("../transfer/cat.ts"),
  ls: () => import("../remote/ls.ts"),
  tree: () => import("../remote/tree.ts"),
  find: () => import("../remote/find.ts"),
  stat: () => import("../remote/stat.ts"),
  usage: () => import("../remote/usage.ts"),
  mkdir: () => import("../remote/mkdir.ts"),
  mv: () => import("../remote/mv.ts"),
  cp: () => import("../remote/cp.ts"),
  rm: () => import("../remote/rm.ts"),
  events: () => import("../remote/events.ts"),
  link: () => import("../remote/link.ts"),
  log: () => import("../remote/log.ts"),
  diff: () => import("../remote/diff.ts"),
  tag: () => import("../remote/tag.ts"),
  trash: () => import("../remote/trash.ts"),
  purge: () => import("../remote/purge.ts"),
  mirror: () => import("../mirror/mirror.ts"),
  config: () => import("../config.ts"),
  permissions: () => import("../permissions.ts"),
  completion: () => import("../completion.ts"),
  help: () => import("../help.ts"),
  version: () => import("../version.ts"),
};
