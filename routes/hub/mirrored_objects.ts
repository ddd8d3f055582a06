import { repositoryNotFound } from "../../core/hub/repository.ts";
import { pathOf } from "../../core/mirror/mirror.ts";
import { mirroredObjects } from "../../core/mirror/objects.ts";
import type { LfsObject } from "../../schemas/hub_lfs.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import type { Mount } from "./hub_route.ts";
import { type Action, batchReply, downloadItems, pointerOf } from "./lfs_batch_reply.ts";
import { addressOfMirrored, markStale, mirroredName } from "./mirrored.ts";
import type { Handled } from "./replies.ts";

/** A batch of objects to download from a mirrored repository (C 28), each at the address where it comes in. */
export async function sendMirroredBatch(
  c: Handled,
  { hub, mirror, publicUrl }: Services,
  { mount, objects }: { readonly mount: Mount; readonly objects: readonly LfsObject[] },
): Promise<Response> {
  const repository = mirroredName(c, mount);
  if (mirror === undefined) throw repositoryNotFound(repository);
  const found = await mirroredObjects(mirror, {
    repository,
    pointers: objects.map(pointerOf),
    userId: callerOf(c).userId,
  });
  markStale(c, found);
  const key = await hub.objects.key();
  const caller = { ...callerOf(c), tree: mirror.caller.userId };
  const addressOf = (_object: LfsObject, index: number): Action => {
    const subject = found.objects[index]?.subject;
    if (subject === undefined) throw new Error("An object without a file was not refused");
    const { path, expires } = addressOfMirrored(key, { caller, subject });
    return { href: publicUrl.for(c) + path, expires_at: new Date(expires).toISOString() };
  };
  const wanted = found.objects.map(({ subject, refusal }) => ({
    path: subject && pathOf(subject),
    refusal,
  }));
  return batchReply(c, downloadItems(c, { objects, wanted, addressOf, tree: caller.tree }));
}
