import type { HubRoute } from "./hub_route.ts";
import { showInfo } from "./info.ts";
import { showManifest } from "./manifest.ts";
import {
  checkMirroredAccess,
  orMirrored,
  resolveMirrored,
  showMirroredInfo,
  showMirroredPaths,
  showMirroredTree,
} from "./mirrored.ts";
import { showMirroredCommits, showMirroredReferences } from "./mirrored_past.ts";
import { checkAccess, showCommits, showReferences } from "./references.ts";
import { showRepositories } from "./repositories.ts";
import { resolveFile } from "./resolve.ts";
import { showPaths, showTree } from "./tree.ts";
import { whoAmI } from "./whoami.ts";
import { adviseAgainstXet } from "./xet.ts";

const info = orMirrored(showInfo, showMirroredInfo);
const tree = orMirrored(showTree, showMirroredTree);
const file = orMirrored(resolveFile, resolveMirrored);
const access = orMirrored(checkAccess, checkMirroredAccess);

/** What is read of a repository, which may be one of another hub. `{repo}` is its name. */
const REPOSITORIES: readonly HubRoute[] = [
  { method: "GET", path: "{api}/{repo}", privilege: "resources.view", handle: info },
  { method: "GET", path: "{api}/{repo}/revision/{rev}", privilege: "resources.view", handle: info },
  { method: "GET", path: "{api}/{repo}/tree/{rev}", privilege: "resources.view", handle: tree },
  {
    method: "GET",
    path: "{api}/{repo}/tree/{rev}/{+path}",
    privilege: "resources.view",
    handle: tree,
  },
  { method: "GET", path: "{api}/{repo}/auth-check", privilege: "resources.view", handle: access },
  {
    method: "POST",
    path: "{api}/{repo}/paths-info/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showPaths, showMirroredPaths),
  },
  {
    method: "GET",
    path: "{web}/{repo}/resolve/{rev}/{+path}",
    privilege: "resources.download",
    handle: file,
  },
  {
    method: "GET",
    path: "{web}/{repo}/raw/{rev}/{+path}",
    privilege: "resources.download",
    handle: file,
  },
];

/** What is read of the past of a repository. Without a namespace, these would be names of repositories. */
const PAST: readonly HubRoute[] = [
  {
    method: "GET",
    path: "{api}/{ns}/{name}/refs",
    privilege: "resources.view",
    handle: orMirrored(showReferences, showMirroredReferences),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/commits/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showCommits, showMirroredCommits),
    mirrored: true,
  },
];

/** What only a tree has. */
const OWN: readonly HubRoute[] = [
  { method: "GET", path: "{api}", privilege: "resources.view", handle: showRepositories },
  ...["xet-write-token", "xet-read-token"].map((name): HubRoute => ({
    method: "GET",
    path: `{api}/{ns}/{name}/${name}/{rev}`,
    privilege: "any",
    handle: adviseAgainstXet,
  })),
  {
    method: "GET",
    path: "/v2/{ns}/{name}/manifests/{tag}",
    privilege: "resources.view",
    handle: showManifest,
  },
];

/** The names of repositories: those of other hubs may be without a namespace. */
const NAMES = ["{ns}/{name}", "{name}"];

/** Every route of the hub that reads (C 20, C 28). */
export const READING: readonly HubRoute[] = [
  {
    method: "GET",
    path: "/api/whoami-v2",
    privilege: "resources.view",
    handle: whoAmI,
    mirrored: true,
  },
  ...OWN,
  ...PAST,
  {
    method: "GET",
    // Before it is taken for the name of a repository.
    path: "{api}/{name}/auth-check",
    privilege: "resources.view",
    handle: access,
    mirrored: true,
  },
  ...NAMES.flatMap((name) =>
    REPOSITORIES.map((route): HubRoute => ({
      ...route,
      path: route.path.replace("{repo}", name),
      mirrored: true,
    }))
  ),
];
