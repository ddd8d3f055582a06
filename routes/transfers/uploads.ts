import type { Context } from "hono";
import { isoTime } from "../../core/entries.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { joinPath, sanitizeDirectory, sanitizeFileName, sanitizePath } from "../../core/paths.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import { createUpload } from "../../core/tree/create_upload.ts";
import { joinUploads } from "../../core/tree/join_uploads.ts";
import {
  type AppendRequest,
  appendToUpload,
  discardUpload,
  findUpload,
  removeUpload,
  type UploadProgress,
  type UploadService,
} from "../../core/tree/resumable_upload.ts";
import type { ResumableUpload } from "../../core/uploads.ts";
import { OnConflict } from "../../schemas/resources.ts";
import type { UploadEntry } from "../../schemas/uploads.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { partialBody } from "../request/partial_body.ts";
import { parseQuery, wordOf } from "../request/query.ts";
import { addHeader, respond } from "../reply/respond.ts";
import {
  byteCountOf,
  checksumOf,
  concatOf,
  hasContent,
  isDeferred,
  parseMetadata,
  requireContent,
  requireTus,
} from "./tus.ts";

type Handled = Context<AppEnvironment>;

/** `OPTIONS /uploads/`: the middleware sets the headers (C 21). */
export function describeUploads(c: Handled): Response {
  return respond(c, null, 204);
}

/** `POST /uploads/` (C 21): creation, and the first bytes if the body has some. */
export async function postUpload(c: Handled, uploads: UploadService): Promise<Response> {
  const { headers, url } = c.req.raw;
  requireTus(headers);
  const { header: concat, ids } = concatOf(headers);
  const size = ids !== undefined || isDeferred(headers)
    ? undefined
    : byteCountOf(headers, "Upload-Length");
  const metadata = headers.get("Upload-Metadata") ?? "";
  const values = parseMetadata(metadata);
  const path = concat === "partial" ? undefined : pathOf(values);
  auditChange(c, { paths: path === undefined ? [] : [path] });
  const request = {
    caller: callerOf(c),
    sha256: sha256Of(values),
    onConflict: wordOf(parseQuery(url), "on_conflict", OnConflict) ?? "error",
    metadata,
    concat,
  };
  const comes = hasContent(headers);
  const begin = async (): Promise<UploadProgress> => {
    const upload = await createUpload(uploads, { ...request, path, size });
    return comes || size === 0 ? await appendFirst(c, uploads, upload) : { upload };
  };
  const progress = path !== undefined && ids !== undefined
    ? await joinUploads(uploads, { ...request, path, ids })
    : await begin();
  const { upload } = progress;
  auditProgress(c, progress, false);
  addHeader(c, "Location", locationOf(c, upload.id));
  if (comes) addHeader(c, "Upload-Offset", String(progress.upload.received));
  showExpiry(c, progress.upload);
  return respond(c, null, 201);
}

/** `GET` and `HEAD /uploads/{id}` (C 21). */
export async function getUpload(c: Handled, uploads: UploadService): Promise<Response> {
  if (c.req.raw.method === "HEAD") requireTus(c.req.raw.headers);
  auditChange(c, { paths: [], isStep: true });
  const progress = await findUpload(uploads, { caller: callerOf(c), id: idOf(c) });
  auditProgress(c, progress, true);
  const { upload } = progress;
  if (upload.deferred) addHeader(c, "Upload-Defer-Length", "1");
  else addHeader(c, "Upload-Length", String(upload.size));
  if (upload.concat !== "") addHeader(c, "Upload-Concat", upload.concat);
  if (upload.metadata !== "") addHeader(c, "Upload-Metadata", upload.metadata);
  showProgress(c, upload);
  const entry: UploadEntry = {
    id: upload.id,
    path: pathsOf(upload)[0] ?? null,
    size: upload.deferred ? null : upload.size,
    received: upload.received,
    created_at: isoTime(upload.createdAt),
    expires_at: isoTime(upload.expiresAt),
    completed_at: upload.completedAt === null ? null : isoTime(upload.completedAt),
  };
  return success(c, entry);
}

/** `PATCH /uploads/{id}` (C 21). */
export async function patchUpload(c: Handled, uploads: UploadService): Promise<Response> {
  const { raw } = c.req;
  requireTus(raw.headers);
  requireContent(raw.headers);
  const progress = await append(c, uploads, {
    id: idOf(c),
    offset: byteCountOf(raw.headers, "Upload-Offset"),
    size: raw.headers.has("Upload-Length") ? byteCountOf(raw.headers, "Upload-Length") : undefined,
  });
  auditProgress(c, progress, true);
  showProgress(c, progress.upload);
  return respond(c, null, 204);
}

/** `DELETE /uploads/{id}` (C 21): termination. */
export async function deleteUpload(c: Handled, uploads: UploadService): Promise<Response> {
  requireTus(c.req.raw.headers);
  const id = idOf(c);
  auditChange(c, { paths: [], details: { upload: id } });
  const upload = await removeUpload(uploads, { caller: callerOf(c), id });
  auditChange(c, { paths: pathsOf(upload), details: { upload: id } });
  return respond(c, null, 204);
}

/** `POST /uploads/{id}` by clients that cannot send other methods (tus 1.0.0, X-HTTP-Method-Override). */
export function overrideMethod(c: Handled, uploads: UploadService): Promise<Response> {
  const method = c.req.raw.headers.get("X-HTTP-Method-Override");
  if (method === "PATCH") return patchUpload(c, uploads);
  if (method === "DELETE") return deleteUpload(c, uploads);
  throw invalid(
    `X-HTTP-Method-Override is ${method === null ? "missing" : quoted(method)}, expected ` +
      "PATCH or DELETE",
  );
}

/** The client learns the address of an upload only if its first content was received. */
async function appendFirst(
  c: Handled,
  uploads: UploadService,
  { id }: ResumableUpload,
): Promise<UploadProgress> {
  try {
    return await append(c, uploads, { id, offset: 0 });
  } catch (error) {
    await discardUpload(uploads, id);
    throw error;
  }
}

function append(
  c: Handled,
  uploads: UploadService,
  part: Pick<AppendRequest, "id" | "offset" | "size">,
): Promise<UploadProgress> {
  const { raw } = c.req;
  const declared = raw.headers.get("Content-Length");
  return appendToUpload(uploads, {
    caller: callerOf(c),
    ...part,
    ...partialBody(raw),
    declaredSize: declared === null ? undefined : Number(declared),
    checksum: checksumOf(raw.headers),
    sha256: sha256Of(parseMetadata(raw.headers.get("Upload-Metadata") ?? "")),
  });
}

/** Records a completed upload, and one that was created; not each step in between. */
function auditProgress(c: Handled, { upload, stored }: UploadProgress, isStep: boolean): void {
  auditChange(c, {
    paths: pathsOf(upload),
    details: { upload: upload.id },
    ...(stored === undefined ? { isStep } : { records: changedOwners(stored.changes) }),
  });
}

function showProgress(c: Handled, upload: ResumableUpload): void {
  addHeader(c, "Upload-Offset", String(upload.received));
  showExpiry(c, upload);
}

function showExpiry(c: Handled, { completedAt, expiresAt }: ResumableUpload): void {
  if (completedAt === null) addHeader(c, "Upload-Expires", new Date(expiresAt).toUTCString());
}

/**
 * Relative to the address of the request, so that it holds behind any proxy. Requests to it act in the same
 * tree.
 */
function locationOf(c: Handled, id: string): string {
  const { tree } = callerOf(c);
  const directory = new URL(c.req.url).pathname.endsWith("/") ? "" : "uploads/";
  return `${directory}${id}${tree === undefined ? "" : `?tree=${tree}`}`;
}

/** The path of the file that an upload becomes, unless it is a part of another one. */
function pathsOf({ path, concat }: ResumableUpload): string[] {
  return concat === "partial" ? [] : [path];
}

/** The path of the file: `path`, or `filename` in the directory `dir`. */
function pathOf(metadata: ReadonlyMap<string, string>): string {
  const path = metadata.get("path");
  const filename = metadata.get("filename");
  if (path !== undefined) return sanitizePath(path);
  if (filename === undefined) throw invalid("Upload-Metadata has neither path nor filename");
  return joinPath(sanitizeDirectory(metadata.get("dir") ?? ""), sanitizeFileName(filename));
}

function sha256Of(metadata: ReadonlyMap<string, string>): string | undefined {
  const sha256 = metadata.get("sha256");
  if (sha256 === undefined || /^[\da-f]{64}$/i.test(sha256)) return sha256?.toLowerCase();
  throw invalid(`sha256 in Upload-Metadata is ${quoted(sha256)}, expected 64 hexadecimal digits`);
}

function idOf(c: Handled): string {
  return c.req.param("id") ?? "";
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot upload: ${reason}`);
}
