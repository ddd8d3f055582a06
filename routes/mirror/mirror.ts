import type { Context } from "hono";
import { permits } from "../../core/caller.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import type { Mirror } from "../../core/mirror/files.ts";
import {
  fetchAhead,
  giveUp,
  mirroredDecisions,
  pin,
  shelvedRevision,
} from "../../core/mirror/shelf.ts";
import { mirrorState } from "../../core/mirror/state.ts";
import type { MirroredName, ShelvedRevision } from "../../core/mirror/store.ts";
import {
  type MirrorEntry,
  MirrorFetchRequest,
  type MirrorFile,
  MirrorPinRequest,
  MirrorRequest,
  type MirrorState,
} from "../../schemas/mirror.ts";
import { exportArchive, importArchive } from "../../core/mirror/archive.ts";
import { streamed } from "../reply/streamed.ts";
import { decisionOf } from "../reply/decisions.ts";
import { success } from "../reply/envelope.ts";
import { bodyContent, jsonBody, uploadBodyLimits } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { idOf, pageOf, parseQuery } from "../request/query.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";

type Handled = Context<AppEnvironment>;

/** `POST /mirror` (C 28): the revision that a name stands for, which is asked of the other hub if it is due. */
export async function postMirrored(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const { repository: id, type, revision: name } = await jsonBody(c.req.raw, MirrorRequest);
  const kind = type === "dataset" ? "datasets" : "models";
  auditChange(c, { paths: [`${kind}/${id}`], details: { revision: name }, isStep: true });
  const { userId } = callerOf(c);
  const { revision } = await mirror.revisions.fix({ repository: { kind, id }, name, userId });
  return success(c, entryOf(c, await shelvedRevision(mirror, revision.revision)));
}

/** `GET /mirror` (C 28): newest first. */
export async function listMirror(c: Handled, services: Services): Promise<Response> {
  const { store } = mirrorOf(services);
  const found = await store.listShelved(pageOf(parseQuery(c.req.url)));
  return success(c, { items: found.map((it) => entryOf(c, it)), total: found.length });
}

/** `GET /mirror-state` (C 28): how the other hub is, and what the mirror has done since the start. */
export async function getMirrorState(c: Handled, services: Services): Promise<Response> {
  const { totals, space, coming, ...state } = await mirrorState(mirrorOf(services));
  const { lastFailure, refusalsBy, answeredAt } = totals;
  const shown: MirrorState = {
    url: state.url,
    upstream: state.upstream,
    answered_at: timeOrNull(answeredAt),
    failed_at: timeOrNull(lastFailure?.at),
    failure: lastFailure?.reason ?? null,
    asked_again_at: timeOrNull(state.restsUntil),
    bytes: space.bytes,
    pinned_bytes: space.pinnedBytes,
    max_bytes: Number.isFinite(space.maxBytes) ? space.maxBytes : null,
    requests: totals.requests,
    hits: totals.hits,
    fetched_files: totals.fetchedFiles,
    fetched_bytes: totals.fetchedBytes,
    refusals: [...refusalsBy].map(([rule, requests]) => ({ rule, requests })),
    fetches: coming.map(({ revision, file, bytes, userId }) => ({
      id: revision.revision,
      type: typeOf(revision),
      repository: revision.id,
      path: file.path,
      size: file.size,
      bytes,
      asked_by: askerFor(c, userId),
    })),
  };
  return success(c, shown);
}

/** `GET /mirror/{id}` (C 28). */
export async function getMirrorRevision(c: Handled, services: Services): Promise<Response> {
  return success(c, entryOf(c, await shelvedRevision(mirrorOf(services), numberOf(c))));
}

/** `GET /mirror/{id}/files` (C 28): the files in path order, with what would happen to who downloads them. */
export async function listMirrorFiles(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const query = parseQuery(c.req.url);
  const [after = ""] = query.get("after") ?? [];
  const revision = await shelvedRevision(mirror, numberOf(c));
  const { limit } = pageOf(query);
  const { items, next = null } = await mirroredDecisions(mirror, revision, { after, limit });
  const files = items.map(({ file, decision, verdict = null }): MirrorFile => ({
    ...{ path: file.path, size: file.size, ...decisionOf(decision) },
    fetched_at: timeOrNull(file.fetchedAt),
    verdict,
  }));
  return success(c, { items: files, total: files.length, next });
}

/** `POST /mirror/{id}/fetches` (C 28): has a file come in, and waits for that for some seconds. */
export async function postMirrorFetch(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const { path } = await jsonBody(c.req.raw, MirrorFetchRequest);
  const revision = await shelvedRevision(mirror, numberOf(c));
  auditRevision(c, mirror, revision, path);
  const { userId } = callerOf(c);
  return success(c, { path, is_fetched: await fetchAhead(mirror, revision, { path, userId }) });
}

/** `PATCH /mirror/{id}` (C 28). */
export async function patchMirrored(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const { pinned } = await jsonBody(c.req.raw, MirrorPinRequest);
  auditRevision(c, mirror, await shelvedRevision(mirror, numberOf(c)));
  return success(c, entryOf(c, await pin(mirror, numberOf(c), pinned)));
}

/** `DELETE /mirror/{id}` (C 28): gives up its files. */
export async function deleteMirrored(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  auditRevision(c, mirror, await shelvedRevision(mirror, numberOf(c)));
  return success(c, entryOf(c, await giveUp(mirror, numberOf(c))));
}

/** `GET /mirror/{id}/archive` (C 28): the revision with what has come in of it, as one file. */
export async function getMirrorArchive(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const revision = await shelvedRevision(mirror, numberOf(c));
  const name = parseQuery(c.req.url).get("name")?.[0] ?? null;
  auditRevision(c, mirror, revision);
  return await streamed(c, exportArchive(mirror, revision, name), {
    headers: { "Content-Type": "application/octet-stream" },
  });
}

/** `PUT /mirror-archive` (C 28). */
export async function putMirrorArchive(c: Handled, services: Services): Promise<Response> {
  const mirror = mirrorOf(services);
  const { userId } = callerOf(c);
  auditChange(c, { paths: [], tree: mirror.caller.userId });
  const content = bodyContent(c.req.raw, uploadBodyLimits(mirror.tree));
  const revision = await importArchive(mirror, { content, userId });
  auditRevision(c, mirror, revision);
  return success(c, entryOf(c, revision));
}

function auditRevision(
  c: Handled,
  { caller }: Mirror,
  { kind, id, commitId }: ShelvedRevision,
  path?: string,
): void {
  const directory = `${kind}/${id}@${commitId}`;
  const paths = [path === undefined ? directory : `${directory}/${path}`];
  auditChange(c, { paths, tree: caller.userId });
}

function mirrorOf({ mirror }: Services): Mirror {
  if (mirror !== undefined) return mirror;
  throw new AppError(
    "ErrMirrorNotOffered",
    "No other hub is mirrored here (STRONGROOM_MIRROR_URL)",
  );
}

function numberOf(c: Handled): number {
  return idOf(c.req.param("id") ?? "");
}

function entryOf(c: Handled, revision: ShelvedRevision): MirrorEntry {
  const { id, commitId, about, files, bytes, fetchedFiles, fetchedBytes } = revision;
  return {
    id: revision.revision,
    type: typeOf(revision),
    repository: id,
    commit: commitId,
    modified_at: isoTime(about.modifiedAt),
    tags: [...about.tags],
    ...{ files, bytes },
    fetched_files: fetchedFiles,
    fetched_bytes: fetchedBytes,
    asked_first_at: isoTime(revision.askedFirstAt),
    asked_first_by: askerFor(c, revision.askedFirstBy),
    pinned_at: timeOrNull(revision.pinnedAt),
  };
}

/** A user as the caller may know of: others fetch what is none of the caller's business. */
function askerFor(c: Handled, userId: number): number | null {
  const caller = callerOf(c);
  return userId === caller.userId || permits(caller, "resources.admin") ? userId : null;
}

function typeOf({ kind }: MirroredName): MirrorEntry["type"] {
  return kind === "datasets" ? "dataset" : "model";
}

function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : isoTime(milliseconds);
}
