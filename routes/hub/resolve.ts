import { ownerOf } from "../../core/caller.ts";
import { findRepositoryFile, openPromisedFile } from "../../core/hub/repository_file.ts";
import { contentGrantOf, signGrant } from "../../core/hub/signed_address.ts";
import type { ContentGrant } from "../../schemas/hub_lfs.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { representationOf, select } from "../request/conditional.ts";
import { sendFile } from "../transfers/download.ts";
import { CONTENT_PATH } from "../reply/error_forms.ts";
import { addHeader, respond } from "../reply/respond.ts";
import type { Services } from "../serving/route.ts";
import { grantedContent } from "../serving/signed_address.ts";
import type { Mount } from "./hub_route.ts";
import { type Handled, revisionOf } from "./replies.ts";

/**
 * `GET` and `HEAD /{repo}/resolve/{rev}/{path}` (C 20): redirects to the content that the file has now, so that
 * a client that asks for its digest first receives that content, or none (C 31). The address is relative to
 * the host: clients follow only such ones for `HEAD`.
 */
export async function resolveFile(
  c: Handled,
  { hub, publicUrl }: Services,
  mount: Mount,
): Promise<Response> {
  const named = revisionOf(c, mount);
  const path = c.req.param("path") ?? "";
  const { directory } = named.repository;
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [`${directory}/${path}`] });
  const { commitId, record: { id, size }, sha256, blobId, repository, past } =
    await findRepositoryFile(hub, {
      ...named,
      path,
      onRevision: (commitId) => addHeader(c, "X-Repo-Commit", commitId),
    });
  const grant = contentGrantOf({
    operation: "content",
    caller: callerOf(c),
    repository: repository.directory,
    record: id,
    ...past,
    commit: commitId,
    sha256,
    ...(blobId !== undefined && { blobId }),
    size,
  }, Date.now());
  const token = signGrant(await hub.objects.key(), grant);
  const { pathname } = new URL(`${publicUrl.for(c)}${CONTENT_PATH}${token}`);
  return respond(c, null, 307, { Location: pathname, ...linkedHeaders(grant) });
}

/** `GET` and `HEAD /hub/api/content/{token}` (C 31): the content that {@link resolveFile} has promised. */
export async function getContent(c: Handled, { hub, mirror }: Services): Promise<Response> {
  const { raw } = c.req;
  const caller = callerOf(c);
  const grant = grantedContent(c);
  const { repository, record, commit, sha256, version, tag } = grant;
  const etag = etagOf(grant);
  // Who got the address was admitted to a mirrored file by all that is known of it.
  const isMirrored = mirror !== undefined && ownerOf(caller) === ownerOf(mirror.caller);
  const found = await openPromisedFile(isMirrored ? mirror.tree : hub.tree, {
    ...{ caller, repository, record, sha256 },
    past: version === undefined ? undefined : { version, tag },
    select: (record) => select(raw, { ...representationOf(record), etag }),
    signal: raw.signal,
  });
  addHeader(c, "X-Repo-Commit", commit);
  return await sendFile(c, found, { ETag: etag, ...linkedHeaders(grant) });
}

/** Clients know a file of Git LFS by its SHA-256, and any other by the id of its blob. */
function etagOf({ blobId, sha256 }: ContentGrant): string {
  return `"${blobId ?? sha256}"`;
}

function linkedHeaders(grant: ContentGrant) {
  return { "X-Linked-ETag": etagOf(grant), "X-Linked-Size": String(grant.size) };
}
