import { type Caller, ownerOf } from "../../core/caller.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { conditionOf } from "../../core/s3/condition.ts";
import { deleteObject as deleteAt } from "../../core/s3/delete_objects.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { S3Service } from "../../core/s3/service.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import { downloadFile } from "../../core/tree/download.ts";
import { mkdir } from "../../core/tree/mkdir.ts";
import { quoted, RetryLater } from "../../core/errors.ts";
import type { FileState } from "../../core/history.ts";
import { putObject as store } from "../../core/s3/put_object.ts";
import { versionTree } from "../../core/s3/versions.ts";
import { httpDate, representationOf, select } from "../request/conditional.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { sendFile } from "../transfers/download.ts";
import { bytesOf, FULL_OBJECT, stagedBody } from "./body.ts";
import {
  etagOf,
  metadataOf,
  objectHeaders,
  refuseUnsupported,
  requireObject,
  withQuotes,
} from "./headers.ts";
import { emptyReply } from "./reply.ts";
import { type Handled, parameter, type Target } from "./target.ts";

/** An object of a tree. */
export interface FoundObject {
  readonly record: ResourceRecord;
  readonly facts: ObjectFacts | undefined;
}

/** The object of a key, or undefined. */
export async function findObject(
  { tree, store }: S3Service,
  caller: Caller,
  key: string,
): Promise<FoundObject | undefined> {
  const { path, isDirectory } = pathOfKey(key);
  const scope = { userId: ownerOf(caller), everyone: false };
  const record = (await tree.records.findByPath(scope, [path])).get(path);
  if (record === undefined || record.isDir !== isDirectory) return undefined;
  return { record, facts: await store.facts(record) };
}

/** The error for a key without an object. */
export function noSuchKey(key: string): S3Error {
  return new S3Error("NoSuchKey", `No object has the key ${quoted(key)}`);
}

/** `GET` and `HEAD /s3/{bucket}/{key}`: GetObject and HeadObject. */
export async function getObject(
  c: Handled,
  { s3 }: Services,
  target: Target,
): Promise<Response> {
  const { key = "", headers } = target;
  const caller = callerOf(c);
  const { path, isDirectory } = pathOfKey(key);
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [path] });
  if (isDirectory) {
    const directory = await findObject(s3, caller, key);
    if (directory === undefined) throw noSuchKey(key);
    return directoryReply(c, directory.record);
  }
  const version = parameter(target, "versionId");
  const of = version === undefined
    ? { tree: s3.tree, file: undefined }
    : await versionTree(s3, { caller, path, version });
  let facts: ObjectFacts | undefined;
  const found = await downloadFile(of.tree, {
    caller,
    path,
    async select(record, found) {
      if (of.file !== undefined) requireState(record, of.file);
      facts = found === undefined ? await s3.store.facts(record) : found.facts;
      return select({ method: c.req.method, headers: withQuotes(headers) }, {
        ...representationOf(record),
        etag: etagOf(record, facts?.etag),
      });
    },
  });
  return await sendFile(c, found, {
    ...objectHeaders(found.record, facts, target),
    ...found.selection.status === 200 && checksumHeaders(target, found.record),
    ...version !== undefined && { "x-amz-version-id": version },
  });
}

/** A record may be replaced between two looks at it. */
export function requireState(
  { hash }: ResourceRecord,
  found: Pick<FileState | ResourceRecord, "hash">,
): void {
  if (hash === found.hash) return;
  throw new RetryLater("ErrUnavailable", "The object has just been replaced", 1);
}

/** The checksum of a whole object that its client asks for: of all that there are, the CRC-32 is kept of each. */
function checksumHeaders(
  { headers }: Target,
  { crc32 }: ResourceRecord,
): Record<string, string> {
  if (headers.has("Range") || headers.get("x-amz-checksum-mode") !== "ENABLED") return {};
  return { "x-amz-checksum-crc32": bytesOf(crc32).toBase64(), ...FULL_OBJECT };
}

function directoryReply(c: Handled, record: ResourceRecord): Response {
  return emptyReply(c, 200, {
    "Accept-Ranges": "bytes",
    "Content-Length": "0",
    "Content-Type": "application/x-directory",
    ETag: etagOf(record, undefined),
    "Last-Modified": httpDate(record.updatedAt),
  });
}

/** `PUT /s3/{bucket}/{key}`: PutObject. */
export async function putObject(
  c: Handled,
  { s3 }: Services,
  { key = "", headers }: Target,
): Promise<Response> {
  const caller = callerOf(c);
  const { path, isDirectory } = pathOfKey(key);
  auditChange(c, { paths: [path] });
  refuseUnsupported(headers);
  const metadata = metadataOf(headers);
  if (isDirectory) {
    await stagedBody(c, s3.tree, []).requireEmpty(key);
    const record = await mkdir(s3.tree, { caller, path });
    return emptyReply(c, 200, { ETag: etagOf(record, undefined) });
  }
  const body = stagedBody(c, s3.tree);
  const { changes, record } = await store(s3, {
    caller,
    path,
    content: body.content,
    declaredSize: body.size,
    metadata,
    requireObject: requireObject(headers),
    verify: (received) => body.verify(received),
  });
  auditChange(c, { paths: [path], records: changedOwners(changes) });
  const checksums = body.checksumHeaders();
  return emptyReply(c, 200, {
    ETag: etagOf(record, undefined),
    ...checksums,
    ...Object.keys(checksums).length > 0 && FULL_OBJECT,
  });
}

/** `DELETE /s3/{bucket}/{key}`: DeleteObject. */
export async function deleteObject(
  c: Handled,
  { s3 }: Services,
  { key = "", headers }: Target,
): Promise<Response> {
  const { path } = pathOfKey(key);
  auditChange(c, { paths: [path] });
  refuseUnsupported(headers);
  const caller = callerOf(c);
  const { requireCondition } = await conditionOf(s3, {
    caller,
    path,
    requireObject: requireObject(headers),
  });
  const changes = await deleteAt(s3, { caller, key, requireCondition });
  auditChange(c, { paths: [path], records: changedOwners(changes) });
  return emptyReply(c, 204);
}
