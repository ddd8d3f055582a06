import { ownerOf } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { parkObject } from "../../core/hub/lfs_objects.ts";
import { downloadFile } from "../../core/tree/download.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { bodyContent } from "../request/body.ts";
import { representationOf, select } from "../request/conditional.ts";
import { sendFile } from "../transfers/download.ts";
import { refusePart } from "../transfers/files.ts";
import { respond } from "../reply/respond.ts";
import type { Services } from "../serving/route.ts";
import { grantedObject } from "../serving/signed_address.ts";
import type { Handled } from "./replies.ts";

/** `PUT /hub/lfs/{token}` (C 20): receives content, which waits for a commit. */
export async function putObject(c: Handled, { hub }: Services): Promise<Response> {
  const { raw } = c.req;
  const { sha256, size } = grantedObject(c);
  refusePart(raw.headers);
  const stated = raw.headers.get("Content-Length");
  if (stated !== null && Number(stated) !== size) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot upload: the body has ${stated} bytes, and the object ${size}`,
    );
  }
  const content = bodyContent(raw, { maxBytes: size });
  await parkObject(hub, { caller: callerOf(c), sha256, size, content });
  return respond(c, null, 200);
}

/** `GET` and `HEAD /hub/lfs/{token}` (C 20): the content of a file of the tree. */
export async function getObject(c: Handled, { hub }: Services): Promise<Response> {
  const caller = callerOf(c);
  const { sha256, size, repository } = grantedObject(c);
  const [path] = await hub.objects.files(ownerOf(caller), repository, [{ sha256, size }]);
  if (path === undefined) throw notFound(sha256);
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [path], details: { sha256, size } });
  const etag = `"${sha256}"`;
  const found = await downloadFile(hub.tree, {
    caller,
    path,
    select: (record) => select(c.req.raw, { ...representationOf(record), etag }),
  });
  const { verdicts } = hub.tree;
  if ((await verdicts.on(found.record)).sha256 === sha256) {
    return await sendFile(c, found, { ETag: etag });
  }
  // It was replaced since its path was looked up.
  await found.content?.return();
  throw notFound(sha256);
}

function notFound(sha256: string): AppError {
  return new AppError("ErrHubEntryNotFound", `The tree has no file with the SHA-256 ${sha256}`);
}
