import { type Privilege, requirePermission } from "../../core/caller.ts";
import { AppError, type ErrorKind, quoted } from "../../core/errors.ts";
import { keepObjects } from "../../core/hub/keep_objects.ts";
import { refusedUploads, wantedObjects } from "../../core/hub/lfs_batch.ts";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import { grantOf, type GrantRequest, signGrant } from "../../core/hub/signed_address.ts";
import type { HubService } from "../../core/hub/ports.ts";
import { type Repository, repositoryNotFound } from "../../core/hub/repository.ts";
import { release } from "../../core/record_lists.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import { LfsBatch, LfsObject, type LfsOperation } from "../../schemas/hub_lfs.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import {
  type Action,
  type BatchItem,
  batchReply,
  downloadItems,
  errorOf,
  lfsJson,
  pointerOf,
} from "./lfs_batch_reply.ts";
import { elseMirrored, mirroredName } from "./mirrored.ts";
import { sendMirroredBatch } from "./mirrored_objects.ts";
import { existingOf, type Handled, idIn, urlOf } from "./replies.ts";

const PRIVILEGES: Readonly<Record<LfsOperation, Privilege>> = {
  upload: "resources.upload",
  download: "resources.download",
};

/** Why objects cannot be kept, which is said of each. */
const KEEPING_REFUSALS: readonly ErrorKind[] = ["ErrResourcesQuotaExceeded", "ErrResourcesRefused"];

/**
 * `POST /{repo}.git/info/lfs/objects/batch` (C 20). Each object that cannot be transferred has the reason
 * (C 31). The answer does not depend on what other trees hold.
 */
export async function postLfsBatch(
  c: Handled,
  services: Services,
  mount: Mount,
): Promise<Response> {
  auditChange(c, { paths: [`${mount.kind}/${idIn(c)}`], isStep: true });
  const batch = await jsonBody(c.req.raw, LfsBatch);
  const { operation, transfers, objects } = batch;
  if (!mount.isMirror) requirePermission(callerOf(c), PRIVILEGES[operation]);
  if (transfers !== undefined && !transfers.includes("basic")) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot transfer by ${quoted(transfers.join(", "))}: expected basic`,
    );
  }
  const own = () => sendBatch(c, services, { mount, batch });
  if (operation === "upload" && !mount.isMirror) return await own();
  if (operation === "upload") throw repositoryNotFound(mirroredName(c, mount));
  const mirrored = () => sendMirroredBatch(c, services, { mount, objects });
  return await elseMirrored(own, mirrored)(c, services, mount);
}

/** A batch of objects of a repository of the tree. */
async function sendBatch(
  c: Handled,
  { hub, publicUrl }: Services,
  { mount, batch }: { readonly mount: Mount; readonly batch: LfsBatch },
): Promise<Response> {
  const { operation, transfers, objects } = batch;
  const caller = callerOf(c);
  const repository = await existingOf(c, hub, mount);
  const url = publicUrl.for(c);
  const addressOf = addresses(await hub.objects.key(), {
    operation,
    caller,
    repository: repository.directory,
    prefix: `${url}/hub/lfs/`,
  });
  if (operation === "download") {
    const wanted = await wantedObjects(hub, repository, objects.map(pointerOf));
    return batchReply(c, downloadItems(c, { objects, wanted, addressOf }));
  }
  const keeps = !commitsLater(c, transfers);
  const verify = {
    href: `${urlOf(url, mount, repository)}.git/info/lfs/${keeps ? "keep" : "verify"}`,
  };
  return batchReply(
    c,
    await uploadItems(c, hub, { repository, objects, addressOf, keeps, verify }),
  );
}

interface UploadParts {
  readonly repository: Repository;
  readonly objects: readonly LfsObject[];
  readonly addressOf: (object: LfsObject) => Action;
  /** Whether the repository keeps the objects, as no commit of the hub follows. */
  readonly keeps: boolean;
  readonly verify: Action;
}

/** What is to be done to upload the objects of a batch. An object that the tree holds needs no upload. */
async function uploadItems(
  c: Handled,
  hub: HubService,
  { repository, objects, addressOf, keeps, verify }: UploadParts,
): Promise<BatchItem[]> {
  const caller = callerOf(c);
  const areHeld = await findObjects(hub, caller, objects.map(pointerOf));
  // Git sends no other request about those that it need not send.
  const unsent = keeps ? objects.filter((_, index) => areHeld[index] === true) : [];
  const notKept = await refusalToKeep(c, hub, { repository, objects: unsent });
  const wanted = objects.map((object, index) => areHeld[index] ? undefined : pointerOf(object));
  const notReceived = await refusedUploads(hub.tree, caller, wanted);
  const refusals = objects.map((_, index) => areHeld[index] ? notKept : notReceived[index]);
  const first = refusals.find((refusal) => refusal !== undefined);
  if (first !== undefined) c.set("failure", first);
  return objects.map((object, index): BatchItem => {
    const refusal = refusals[index];
    if (refusal !== undefined) return { ...object, error: errorOf(refusal) };
    return areHeld[index] ? object : { ...object, actions: { upload: addressOf(object), verify } };
  });
}

/**
 * Whether the client makes a file of what it sends by a commit of the hub. Those that do offer a transfer that
 * is none of Git's; a Git that has an agent for it says that it is Git.
 */
function commitsLater(c: Handled, transfers: LfsBatch["transfers"]): boolean {
  const isGit = /^git-lfs\//.test(c.req.header("User-Agent") ?? "");
  return !isGit && transfers?.includes("multipart") === true;
}

/** Makes signed addresses. */
function addresses(
  key: Uint8Array,
  { prefix, ...request }: Omit<GrantRequest, "sha256" | "size"> & { readonly prefix: string },
): (object: LfsObject) => Action {
  const now = Date.now();
  return ({ oid, size }) => {
    const grant = grantOf({ ...request, sha256: oid, size }, now);
    return {
      href: prefix + signGrant(key, grant),
      expires_at: new Date(grant.expires).toISOString(),
    };
  };
}

/** `POST /{repo}.git/info/lfs/verify` (C 20): whether an upload has arrived, for clients that commit it. */
export async function postLfsVerify(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  await existingOf(c, hub, mount);
  const object = await receivedObject(c, hub);
  return lfsJson(c, object);
}

/** `POST /{repo}.git/info/lfs/keep` (C 20): has the repository keep what Git has sent. */
export async function postLfsKeep(
  c: Handled,
  { hub }: Services,
  mount: Mount,
): Promise<Response> {
  const repository = await existingOf(c, hub, mount);
  auditChange(c, { paths: [repository.directory] });
  const object = await receivedObject(c, hub);
  await keep(c, hub, { repository, objects: [object] });
  return lfsJson(c, object);
}

/** The object that a request names, which the tree must have. */
async function receivedObject(c: Handled, hub: HubService): Promise<LfsObject> {
  const { oid, size } = await jsonBody(c.req.raw, LfsObject);
  const [isHeld] = await findObjects(hub, callerOf(c), [{ sha256: oid, size }]);
  if (isHeld) return { oid, size };
  throw new AppError("ErrHubEntryNotFound", `Object ${oid} of ${size} bytes was not received`);
}

interface Kept {
  readonly repository: Repository;
  readonly objects: readonly LfsObject[];
}

/** Keeps objects. Returns why the tree has no room for them; undefined if it has. */
async function refusalToKeep(
  c: Handled,
  hub: HubService,
  { repository, objects }: Kept,
): Promise<AppError | undefined> {
  if (objects.length === 0) return undefined;
  try {
    await keep(c, hub, { repository, objects });
    return undefined;
  } catch (error) {
    if (error instanceof AppError && KEEPING_REFUSALS.includes(error.kind)) return error;
    throw error;
  }
}

async function keep(c: Handled, hub: HubService, { repository, objects }: Kept): Promise<void> {
  const changes = await keepObjects(hub, {
    caller: callerOf(c),
    repository,
    objects: objects.map(pointerOf),
  });
  const records = changedOwners(changes);
  if (records.size > 0) auditChange(c, { paths: [repository.directory], records });
  for (const { records } of changes) release(records);
}
