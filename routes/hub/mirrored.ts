import { type Caller, ownerOf, permits } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { contentGrantOf, mirrorGrantOf, signGrant } from "../../core/hub/signed_address.ts";
import { entryNotFound, MAIN, repositoryNotFound } from "../../core/hub/repository.ts";
import { findMirrored, type Mirror, openMirrored } from "../../core/mirror/files.ts";
import { listMirrored, mirroredPaths } from "../../core/mirror/listing.ts";
import { directoryOf, type MirroredFile } from "../../core/mirror/mirror.ts";
import type { FixedRevision } from "../../core/mirror/revisions.ts";
import type { MirroredName, MirrorRevision } from "../../core/mirror/store.ts";
import { nameOf } from "../../core/paths.ts";
import { CONTENT_PATH, MIRROR_PATH } from "../reply/error_forms.ts";
import { addHeader, respond } from "../reply/respond.ts";
import { representationOf, select } from "../request/conditional.ts";
import { parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { grantedMirror } from "../serving/signed_address.ts";
import { sendFile } from "../transfers/download.ts";
import type { Mount } from "./hub_route.ts";
import { sendInfo } from "./info.ts";
import { cursorOf, flagOf, linkTo, MAX_PAGE_RECORDS, pageSizeOf } from "./query.ts";
import { type Handled, hubJson, hubList, idIn } from "./replies.ts";
import { summaryOf } from "./repositories.ts";
import { requestedPaths } from "./tree.ts";

type Handler = (c: Handled, services: Services, mount: Mount) => Response | Promise<Response>;

/** A handler for a mirrored repository. */
type MirrorHandler = (c: Handled, request: Mirrored) => Promise<Response>;

/** A request for a revision of a mirrored repository. */
export interface Mirrored {
  readonly mirror: Mirror;
  readonly services: Services;
  readonly mount: Mount;
  readonly revision: MirrorRevision;
}

/** Like {@link elseMirrored}, for requests that name a revision. */
export function orMirrored(own: Handler, mirrored: MirrorHandler): Handler {
  return elseMirrored(
    own,
    (c, services, mount) => handleMirrored(c, services, mount, mirrored),
  );
}

/** Has `own` handle a request for a repository that the tree has, and `mirrored` one for another hub's (C 28). */
export function elseMirrored(own: Handler, mirrored: Handler): Handler {
  return async (c, services, mount) => {
    if (mount.isMirror) return await mirrored(c, services, mount);
    try {
      return await own(c, services, mount);
    } catch (error) {
      const isMissing = error instanceof AppError && error.kind === "ErrHubRepositoryNotFound";
      if (!isMissing || services.mirror === undefined || !permits(callerOf(c), "mirror.use")) {
        throw error;
      }
    }
    return await mirrored(c, services, mount);
  };
}

async function handleMirrored(
  c: Handled,
  services: Services,
  mount: Mount,
  mirrored: MirrorHandler,
): Promise<Response> {
  const { mirror } = services;
  const repository = mirroredName(c, mount);
  if (mirror === undefined) throw repositoryNotFound(repository);
  const fixed = await mirror.revisions.fix({
    ...{ repository, name: c.req.param("rev") ?? MAIN },
    userId: callerOf(c).userId,
  });
  const { revision } = fixed;
  addHeader(c, "X-Repo-Commit", revision.commitId);
  markStale(c, fixed);
  return await mirrored(c, { mirror, services, mount, revision });
}

/** Says of a reply since when the other hub does not answer. */
export function markStale(c: Handled, { staleSince }: Pick<FixedRevision, "staleSince">): void {
  if (staleSince === undefined) return;
  addHeader(c, "X-Mirror-Stale", new Date(staleSince).toISOString());
}

/** The name of the repository of another hub in the address of a request. */
export function mirroredName(c: Handled, { kind }: Mount): MirroredName {
  const id = idIn(c);
  // No model is in a namespace of this name: it is a data set without a namespace.
  const [, dataset] = /^datasets\/(.*)$/.exec(id) ?? [];
  return kind === "models" && dataset !== undefined
    ? { kind: "datasets", id: dataset }
    : { kind, id };
}

/** `GET /api/models/{repo}` and `/revision/{rev}` of a mirrored repository. */
export async function showMirroredInfo(
  c: Handled,
  { mirror, mount, revision }: Mirrored,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const { id, commitId, about } = revision;
  const fields = {
    ...summaryOf(mount.kind, { id, createdAt: about.createdAt, updatedAt: about.modifiedAt }),
    sha: commitId,
    tags: about.tags,
    pipeline_tag: about.pipelineTag,
    library_name: about.libraryName,
  };
  const expanded = query.get("expand") ?? query.get("expand[]");
  const security = flagOf(query, "securityStatus") ||
    expanded?.includes("securityRepoStatus") === true;
  if (expanded !== undefined && !expanded.includes("siblings") && !security) {
    return hubJson(c, fields);
  }
  const form = {
    ...{ kind: "siblings", blobs: flagOf(query, "blobs"), security } as const,
    unscannedAs: mirror.tree.verdicts.shown("unscanned"),
  };
  const pageAfter = (after: string) =>
    listMirrored(mirror, revision, {
      ...{ form, below: "", recursive: true, after, limit: MAX_PAGE_RECORDS },
    });
  return await sendInfo(c, fields, { first: await pageAfter(""), pageAfter, security });
}

/** `GET /api/models/{repo}/tree/{rev}[/{path}]` of a mirrored repository. */
export async function showMirroredTree(
  c: Handled,
  { mirror, services, mount, revision }: Mirrored,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const path = c.req.param("path") ?? "";
  const [recursive, expand] = [flagOf(query, "recursive"), flagOf(query, "expand")];
  const limit = pageSizeOf(query);
  const page = await listMirrored(mirror, revision, {
    ...{ below: path, recursive, limit, after: cursorOf(query) ?? "" },
    form: treeForm(mirror, expand ? revision.commitId : undefined),
  });
  if (page.next === undefined) return hubList(c, page, {});
  const address = [mount.kind, revision.id, "tree", revision.commitId, path]
    .filter((part) => part !== "").join("/");
  const next = linkTo(`${services.publicUrl.for(c)}${mount.base}/api/${encodeURI(address)}`, {
    recursive: String(recursive),
    expand: String(expand),
    limit: String(limit),
    cursor: page.next,
  });
  return hubList(c, page, { Link: next });
}

/** `POST /api/models/{repo}/paths-info/{rev}` of a mirrored repository. */
export async function showMirroredPaths(
  c: Handled,
  { mirror, revision }: Mirrored,
): Promise<Response> {
  const { paths, expand } = await requestedPaths(c);
  const form = treeForm(mirror, expand ? revision.commitId : undefined);
  return hubList(c, await mirroredPaths(mirror, revision, { form, paths }), {});
}

/** `GET /api/models/{repo}/auth-check` of a mirrored repository: it is one that can be read. */
export function checkMirroredAccess(c: Handled): Promise<Response> {
  return Promise.resolve(hubJson(c, {}));
}

function treeForm({ tree }: Mirror, commitId: string | undefined) {
  return { kind: "tree", commitId, unscannedAs: tree.verdicts.shown("unscanned") } as const;
}

/**
 * `GET` and `HEAD /{repo}/resolve/{rev}/{path}` of a mirrored repository: redirects to the content that the tree of
 * the mirror has, or else to where it is read as it comes in.
 */
export async function resolveMirrored(
  c: Handled,
  { mirror, services: { hub, publicUrl }, revision }: Mirrored,
): Promise<Response> {
  const path = c.req.param("path") ?? "";
  const caller = { ...callerOf(c), tree: mirror.caller.userId };
  const { userId } = caller;
  const directory = directoryOf(revision);
  // Recorded if it is refused.
  auditChange(c, { paths: [`${directory}/${path}`], tree: mirror.caller.userId });
  const { file, record } = await findMirrored(mirror, revision, { path, userId });
  const { commitId: commit } = revision;
  const { size } = file;
  const key = await hub.objects.key();
  const etag = `"${file.sha256 ?? file.blobId}"`;
  const headers = { "X-Linked-ETag": etag, "X-Linked-Size": String(size) };
  const redirect = (address: string) => {
    const { pathname } = new URL(publicUrl.for(c) + address);
    return respond(c, null, 307, { Location: pathname, ...headers });
  };
  const sha256 = record && (await mirror.tree.verdicts.on(record)).sha256;
  if (record === undefined || sha256 == null || file.passedOnAt !== undefined) {
    return redirect(addressOfMirrored(key, { caller, subject: { revision, file } }).path);
  }
  const grant = contentGrantOf({
    ...{
      operation: "content",
      caller,
      repository: directory,
      record: record.id,
      commit,
      sha256,
      size,
    },
    ...(file.sha256 === undefined && { blobId: file.blobId }),
  }, Date.now());
  mirror.totals.requests++;
  mirror.totals.hits++;
  return redirect(`${CONTENT_PATH}${signGrant(key, grant)}`);
}

/** Where a file of another hub is read, and until when, in milliseconds since the Unix epoch. */
export function addressOfMirrored(
  key: Uint8Array,
  { caller, subject: { revision, file } }: {
    readonly caller: Caller;
    readonly subject: MirroredFile;
  },
): { path: string; expires: number } {
  const grant = mirrorGrantOf({
    ...{ operation: "mirror", caller, kind: revision.kind, repository: revision.id },
    ...{ commit: revision.commitId, path: file.path, size: file.size },
    ...(file.sha256 !== undefined && { sha256: file.sha256 }),
  }, Date.now());
  return { path: MIRROR_PATH + signGrant(key, grant), expires: grant.expires };
}

/** `GET` and `HEAD /hub/api/mirror/{token}` (C 28): a file of another hub, as it comes in. */
export async function getMirrored(c: Handled, { mirror }: Services): Promise<Response> {
  const { raw } = c.req;
  const { repository, kind, commit, path } = grantedMirror(c);
  if (mirror === undefined) throw repositoryNotFound({ kind, id: repository });
  auditChange(c, {
    paths: [`${directoryOf({ kind, id: repository, commitId: commit })}/${path}`],
    tree: ownerOf(mirror.caller),
  });
  const revision = await mirror.store.findRevision({ kind, id: repository }, commit);
  if (revision === undefined) throw repositoryNotFound({ kind, id: repository });
  const [file] = await mirror.store.findEntries(revision.revision, [path]);
  if (file === undefined) throw entryNotFound(revision, path);
  addHeader(c, "X-Repo-Commit", commit);
  const etag = `"${file.sha256 ?? file.blobId}"`;
  const whole = new Headers(raw.headers);
  whole.delete("Range");
  const stated = {
    hash: file.sha256 ?? file.blobId,
    updatedAt: revision.about.modifiedAt,
    size: file.size,
  };
  const found = await openMirrored(mirror, {
    ...{ revision, file, userId: callerOf(c).userId, signal: raw.signal },
    select: (_file, mayResume) =>
      select(
        { method: raw.method, headers: mayResume ? raw.headers : whole },
        { ...representationOf(stated), etag },
      ),
  });
  const { selection, content } = found;
  return await sendFile(
    c,
    { record: { ...stated, name: nameOf(path) }, selection, content },
    { ETag: etag, "X-Linked-ETag": etag, "X-Linked-Size": String(file.size) },
  );
}
