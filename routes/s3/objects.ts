import { type Caller, ownerOf } from "../../core/caller.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { checksumOf } from "../../core/s3/checksum.ts";
import { conditionOf } from "../../core/s3/condition.ts";
import { deleteObject as deleteAt } from "../../core/s3/delete_objects.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { S3Service } from "../../core/s3/service.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import { downloadFile, type FileDownload } from "../../core/tree/download.ts";
import { mkdir } from "../../core/tree/mkdir.ts";
import { quoted, RetryLater } from "../../core/errors.ts";
import type { FileState } from "../../core/history.ts";
import { putObject as store } from "../../core/s3/put_object.ts";
import { versionTree } from "../../core/s3/versions.ts";
import { httpDate, type Selection } from "../request/conditional.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { sendFile } from "../transfers/download.ts";
import { stagedBody } from "./body.ts";
import { checksumHeaders, wantsChecksum } from "./checksums.ts";
import { etagOf, metadataOf, objectHeaders, refuseUnsupported, requireObject } from "./headers.ts";
import { partHeaders, partNumberOf, selectObject } from "./select.ts";
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

/** An object that a request reads. */
export interface OpenedObject extends FileDownload<Selection> {
  readonly facts: ObjectFacts | undefined;
  /** The version that the request names, if it does. */
  readonly version: string | undefined;
}

/**
 * Opens the file, or the version of it, that a request reads.
 *
 * @param method `HEAD` to read nothing of it. @default that of the request
 */
export async function openObject(
  c: Handled,
  { s3 }: Pick<Services, "s3">,
  target: Target,
  method = c.req.method,
): Promise<OpenedObject> {
  const caller = callerOf(c);
  const { path } = pathOfKey(target.key ?? "");
  const version = parameter(target, "versionId");
  const part = { headers: target.headers, number: partNumberOf(target) };
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
      return selectObject(method, part, { record, facts });
    },
  });
  return { ...found, facts, version };
}

/** `GET` and `HEAD /s3/{bucket}/{key}`: GetObject and HeadObject. */
export async function getObject(
  c: Handled,
  { s3 }: Services,
  target: Target,
): Promise<Response> {
  const { key = "", headers } = target;
  const { path, isDirectory } = pathOfKey(key);
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [path] });
  if (isDirectory) {
    const directory = await findObject(s3, callerOf(c), key);
    if (directory === undefined) throw noSuchKey(key);
    return directoryReply(c, directory.record);
  }
  const found = await openObject(c, { s3 }, target);
  const { facts, version } = found;
  return await sendFile(c, found, {
    ...objectHeaders(found.record, facts, target),
    ...wantsChecksum(headers) && isWhole(found) && checksumHeaders(checksumOf(found.record, facts)),
    ...partHeaders(target, facts),
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

function isWhole({ record: { size }, selection: { range } }: FileDownload<Selection>): boolean {
  return range !== undefined && range.end - range.start === size;
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
    verify(received) {
      body.verify(received);
      return body.checksum();
    },
  });
  auditChange(c, { paths: [path], records: changedOwners(changes) });
  const checksum = body.checksum();
  return emptyReply(c, 200, {
    ETag: etagOf(record, undefined),
    ...checksum && checksumHeaders({ ...checksum, type: "FULL_OBJECT" }),
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
