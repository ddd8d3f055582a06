import { CONTENT_PATH, MIRROR_PATH } from "../reply/error_forms.ts";
import type { ServedRoute } from "../serving/route.ts";
import { expand, type HubRoute } from "./hub_route.ts";
import { postCommit } from "./commit.ts";
import { postRepository } from "./create.ts";
import { showInfo } from "./info.ts";
import { postLfsBatch, postLfsKeep, postLfsVerify } from "./lfs.ts";
import { getObject, putObject } from "./objects.ts";
import {
  checkMirroredAccess,
  getMirrored,
  orMirrored,
  resolveMirrored,
  showMirroredInfo,
  showMirroredPaths,
  showMirroredTree,
} from "./mirrored.ts";
import { showManifest } from "./manifest.ts";
import { postPreupload } from "./preupload.ts";
import { removeRepository, renameRepository } from "./repository_changes.ts";
import { showRepositories } from "./repositories.ts";
import { getContent, resolveFile } from "./resolve.ts";
import {
  checkAccess,
  postBranch,
  postTag,
  refuseSquash,
  removeBranch,
  removeTag,
  showCommits,
  showReferences,
} from "./references.ts";
import { putSettings } from "./settings.ts";
import { showPaths, showTree } from "./tree.ts";
import { postValidateYaml } from "./validate_yaml.ts";
import { whoAmI } from "./whoami.ts";
import { adviseAgainstXet } from "./xet.ts";

/** Addresses of repositories without a namespace, which another hub may have, and no tree. */
const WITHOUT_NAMESPACE: readonly HubRoute[] = [
  {
    method: "GET",
    path: "{api}/{name}",
    privilege: "resources.view",
    handle: orMirrored(showInfo, showMirroredInfo),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{name}/revision/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showInfo, showMirroredInfo),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{name}/tree/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showTree, showMirroredTree),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{name}/tree/{rev}/{+path}",
    privilege: "resources.view",
    handle: orMirrored(showTree, showMirroredTree),
    mirrored: true,
  },
  {
    method: "POST",
    path: "{api}/{name}/paths-info/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showPaths, showMirroredPaths),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{web}/{name}/resolve/{rev}/{+path}",
    privilege: "resources.download",
    handle: orMirrored(resolveFile, resolveMirrored),
    mirrored: true,
  },
];

const READING: readonly HubRoute[] = [
  {
    method: "GET",
    path: "/api/whoami-v2",
    privilege: "resources.view",
    handle: whoAmI,
    mirrored: true,
  },
  { method: "GET", path: "{api}", privilege: "resources.view", handle: showRepositories },
  {
    method: "GET",
    path: "{api}/{ns}/{name}",
    privilege: "resources.view",
    handle: orMirrored(showInfo, showMirroredInfo),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/revision/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showInfo, showMirroredInfo),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/tree/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showTree, showMirroredTree),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/tree/{rev}/{+path}",
    privilege: "resources.view",
    handle: orMirrored(showTree, showMirroredTree),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/refs",
    privilege: "resources.view",
    handle: showReferences,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/commits/{rev}",
    privilege: "resources.view",
    handle: showCommits,
  },
  {
    method: "GET",
    path: "{api}/{ns}/{name}/auth-check",
    privilege: "resources.view",
    handle: orMirrored(checkAccess, checkMirroredAccess),
    mirrored: true,
  },
  ...["xet-write-token", "xet-read-token"].map((name): HubRoute => ({
    method: "GET",
    path: `{api}/{ns}/{name}/${name}/{rev}`,
    privilege: "any",
    handle: adviseAgainstXet,
  })),
  {
    method: "POST",
    path: "{api}/{ns}/{name}/paths-info/{rev}",
    privilege: "resources.view",
    handle: orMirrored(showPaths, showMirroredPaths),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{web}/{ns}/{name}/resolve/{rev}/{+path}",
    privilege: "resources.download",
    handle: orMirrored(resolveFile, resolveMirrored),
    mirrored: true,
  },
  {
    method: "GET",
    path: "{web}/{ns}/{name}/raw/{rev}/{+path}",
    privilege: "resources.download",
    handle: orMirrored(resolveFile, resolveMirrored),
    mirrored: true,
  },
  {
    method: "GET",
    path: "/v2/{ns}/{name}/manifests/{tag}",
    privilege: "resources.view",
    handle: showManifest,
  },
];

const WRITING: readonly HubRoute[] = [
  {
    method: "POST",
    path: "/api/validate-yaml",
    handle: postValidateYaml,
  },
  {
    method: "POST",
    path: "/api/repos/create",
    privilege: "resources.upload",
    action: "hub.create",
    handle: postRepository,
  },
  {
    method: "DELETE",
    path: "/api/repos/delete",
    privilege: "resources.delete",
    action: "hub.delete",
    handle: removeRepository,
  },
  {
    method: "POST",
    path: "/api/repos/move",
    privilege: "resources.edit",
    action: "hub.move",
    handle: renameRepository,
  },
  {
    method: "PUT",
    path: "{api}/{ns}/{name}/settings",
    privilege: "resources.view",
    handle: putSettings,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/preupload/{rev}",
    privilege: "resources.upload",
    load: "transfer",
    handle: postPreupload,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/commit/{rev}",
    privilege: "resources.upload",
    action: "hub.commit",
    load: "transfer",
    handle: postCommit,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/branch/{rev}",
    privilege: "resources.edit",
    action: "hub.branch",
    handle: postBranch,
  },
  {
    method: "DELETE",
    path: "{api}/{ns}/{name}/branch/{rev}",
    privilege: "resources.delete",
    action: "hub.unbranch",
    handle: removeBranch,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/tag/{rev}",
    privilege: "resources.edit",
    action: "hub.tag",
    handle: postTag,
  },
  {
    method: "DELETE",
    path: "{api}/{ns}/{name}/tag/{rev}",
    privilege: "resources.delete",
    action: "hub.untag",
    handle: removeTag,
  },
  {
    method: "POST",
    path: "{api}/{ns}/{name}/super-squash/{rev}",
    privilege: "resources.edit",
    action: "hub.squash",
    handle: refuseSquash,
  },
  {
    method: "POST",
    path: "{web}/{ns}/{name}.git/info/lfs/objects/batch",
    privilege: "any",
    basic: true,
    action: "hub.batch",
    handle: postLfsBatch,
  },
  {
    method: "POST",
    path: "{web}/{ns}/{name}.git/info/lfs/verify",
    privilege: "resources.upload",
    basic: true,
    handle: postLfsVerify,
  },
  {
    method: "POST",
    path: "{web}/{ns}/{name}.git/info/lfs/keep",
    privilege: "resources.upload",
    basic: true,
    action: "hub.keep",
    load: "transfer",
    handle: postLfsKeep,
  },
];

/** Signed addresses, which clients use without a credential. They are the same for all trees. */
const SIGNED: readonly ServedRoute[] = [
  {
    method: "PUT",
    path: "/hub/lfs/{token}",
    signed: true,
    action: "hub.upload",
    load: "transfer",
    handle: putObject,
  },
  { method: "GET", path: "/hub/lfs/{token}", signed: true, load: "transfer", handle: getObject },
  {
    method: "GET",
    path: `${CONTENT_PATH}{token}`,
    signed: true,
    load: "transfer",
    handle: getContent,
  },
  {
    method: "GET",
    path: `${MIRROR_PATH}{token}`,
    signed: true,
    load: "transfer",
    handle: getMirrored,
  },
];

/** Every route of the hub (C 20). */
export const HUB_ROUTES: readonly ServedRoute[] = [
  ...[...READING, ...WRITING, ...WITHOUT_NAMESPACE].flatMap(expand),
  ...SIGNED,
];
