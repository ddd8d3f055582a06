import { CONTENT_PATH, MIRROR_PATH } from "../reply/error_forms.ts";
import type { ServedRoute } from "../serving/route.ts";
import { postCommit } from "./commit.ts";
import { postRepository } from "./create.ts";
import { expand, expandMirrored, type HubRoute } from "./hub_route.ts";
import { postLfsBatch, postLfsKeep, postLfsVerify } from "./lfs.ts";
import { getMirrored } from "./mirrored.ts";
import { getObject, putObject } from "./objects.ts";
import { postPreupload } from "./preupload.ts";
import { READING } from "./reading_routes.ts";
import { postBranch, postTag, refuseSquash, removeBranch, removeTag } from "./references.ts";
import { removeRepository, renameRepository } from "./repository_changes.ts";
import { getContent } from "./resolve.ts";
import { putSettings } from "./settings.ts";
import { postValidateYaml } from "./validate_yaml.ts";

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
  // Repositories of other hubs may be without a namespace.
  ...["{ns}/{name}", "{name}"].map((name): HubRoute => ({
    method: "POST",
    path: `{web}/${name}.git/info/lfs/objects/batch`,
    privilege: "any",
    basic: true,
    action: "hub.batch",
    handle: postLfsBatch,
    mirrored: true,
  })),
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
  ...[...READING, ...WRITING].flatMap(expandMirrored),
  ...[...READING, ...WRITING].flatMap(expand),
  ...SIGNED,
];
