import { ownerOf } from "../../core/caller.ts";
import { quoted } from "../../core/errors.ts";
import {
  abortMultipart,
  createMultipart,
  findMultipart,
  MAX_PARTS,
  MAX_UPLOADS,
  type NamedUpload,
  uploadPart as receivePart,
} from "../../core/s3/multipart.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { S3Service } from "../../core/s3/service.ts";
import type { MultipartUpload } from "../../core/s3/store.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { stagedBody } from "./body.ts";
import {
  checksumElements,
  checksumHeaders,
  kindElements,
  kindHeaders,
  statedKind,
} from "./checksums.ts";
import { copiedRange, copySource, openSource } from "./copy_source.ts";
import { metadataOf, refuseUnsupported } from "./headers.ts";
import { limitOf, writtenAs } from "./list.ts";
import { element, emptyReply, timeElement, xmlReply } from "./reply.ts";
import { type Handled, parameter, type Target } from "./target.ts";

/** `POST /s3/{bucket}/{key}?uploads`: CreateMultipartUpload. */
export async function createMultipartUpload(c: Handled, { s3 }: Services, target: Target) {
  const { bucket = "", key = "", headers } = target;
  const path = filePathOf(key);
  auditChange(c, { paths: [path], isStep: true });
  refuseUnsupported(headers);
  const metadata = metadataOf(headers);
  const checksum = statedKind(headers);
  const { id } = await createMultipart(s3, { caller: callerOf(c), path, metadata, checksum });
  return xmlReply(c, "InitiateMultipartUploadResult", [
    element("Bucket", bucket),
    element("Key", key),
    element("UploadId", id),
  ], kindHeaders(checksum));
}

/** `PUT /s3/{bucket}/{key}?partNumber=&uploadId=`: UploadPart. */
export async function uploadPart(c: Handled, { s3 }: Services, target: Target) {
  const upload = uploadOf(c, target);
  auditChange(c, { paths: [upload.path], isStep: true });
  const body = stagedBody(c, s3.tree);
  const { md5, checksum } = await receivePart(s3, {
    ...upload,
    number: partNumber(target),
    size: body.requiredSize(),
    content: body.content,
    states: body.states,
    needsSha256: body.statesSha256,
    verify(received) {
      body.verify(received);
      return body.checksum();
    },
  });
  return emptyReply(c, 200, {
    ETag: `"${md5}"`,
    ...checksum && checksumHeaders(checksum),
  });
}

/** The same with a header `x-amz-copy-source`: UploadPartCopy. */
export async function uploadPartCopy(c: Handled, services: Services, target: Target) {
  const { s3 } = services;
  const upload = uploadOf(c, target);
  auditChange(c, { paths: [upload.path], isStep: true });
  const source = await copySource(c, services, target.headers);
  const { content, range } = await openSource(
    source,
    (size) => copiedRange(target.headers, size),
  );
  const part = await receivePart(s3, {
    ...upload,
    number: partNumber(target),
    size: range.end - range.start,
    content,
    states: undefined,
    needsSha256: false,
    isCopy: true,
    verify: () => undefined,
  });
  return xmlReply(c, "CopyPartResult", [
    timeElement("LastModified", part.createdAt),
    element("ETag", `"${part.md5}"`),
    ...checksumElements(part.checksum),
  ]);
}

/** `DELETE /s3/{bucket}/{key}?uploadId=`: AbortMultipartUpload. */
export async function abortMultipartUpload(c: Handled, { s3 }: Services, target: Target) {
  const upload = uploadOf(c, target);
  auditChange(c, { paths: [upload.path], isStep: true });
  refuseUnsupported(target.headers);
  await abortMultipart(s3, upload);
  return emptyReply(c, 204);
}

/** `GET /s3/{bucket}/{key}?uploadId=`: ListParts. */
export async function listParts(c: Handled, { s3 }: Services, target: Target) {
  const { bucket = "", key = "" } = target;
  const { id, checksum: kind } = await findMultipart(s3, uploadOf(c, target));
  const limit = limitOf(parameter(target, "max-parts"), "max-parts");
  const marker = parameter(target, "part-number-marker") ?? "";
  const after = marker === "" ? 0 : numberIn(marker, "part-number-marker");
  const found = await s3.store.parts(id, after, limit + 1);
  const parts = found.slice(0, limit);
  return xmlReply(c, "ListPartsResult", [
    element("Bucket", bucket),
    element("Key", key),
    element("UploadId", id),
    element("PartNumberMarker", after),
    element("MaxParts", limit),
    element("IsTruncated", found.length > limit),
    found.length > limit
      ? element("NextPartNumberMarker", parts.at(-1)?.number ?? after)
      : undefined,
    kindElements(kind),
    ...parts.map(({ number, size, md5, checksum, createdAt }) =>
      element("Part", [
        element("PartNumber", number),
        timeElement("LastModified", createdAt),
        element("ETag", `"${md5}"`),
        ...checksumElements(kind && checksum ? { ...kind, value: checksum } : undefined),
        element("Size", size),
      ])
    ),
  ]);
}

/** `GET /s3/{bucket}?uploads`: ListMultipartUploads. */
export async function listMultipartUploads(c: Handled, { s3 }: Services, target: Target) {
  const limit = limitOf(parameter(target, "max-uploads"), "max-uploads");
  const prefix = parameter(target, "prefix") ?? "";
  const delimiter = parameter(target, "delimiter") ?? "";
  const path = parameter(target, "key-marker") ?? "";
  const id = parameter(target, "upload-id-marker");
  const userId = ownerOf(callerOf(c));
  const found = await uploadsOf(s3, { userId, prefix, path, id: id ?? LAST_ID });
  const all = grouped(found, { prefix, delimiter })
    .filter(({ key, upload }) => upload !== undefined || key > path);
  const items = all.slice(0, limit);
  const last = all.length > limit ? items.at(-1) : undefined;
  const written = writtenAs(parameter(target, "encoding-type"));
  return xmlReply(c, "ListMultipartUploadsResult", [
    element("Bucket", target.bucket ?? ""),
    written("KeyMarker", path),
    element("UploadIdMarker", id ?? ""),
    written("Prefix", prefix),
    delimiter === "" ? undefined : written("Delimiter", delimiter),
    element("MaxUploads", limit),
    element("IsTruncated", last !== undefined),
    ...last === undefined
      ? []
      : [written("NextKeyMarker", last.key), element("NextUploadIdMarker", last.upload?.id ?? "")],
    ...items.map(({ key, upload }) =>
      upload === undefined
        ? element("CommonPrefixes", [written("Prefix", key)])
        : element("Upload", [
          written("Key", key),
          element("UploadId", upload.id),
          timeElement("Initiated", upload.createdAt),
          element("StorageClass", "STANDARD"),
          kindElements(upload.checksum),
        ])
    ),
  ]);
}

/** A marker of a path alone is after all uploads to it. */
const LAST_ID = "~";

/** All uploads after one. A tree has few. */
async function uploadsOf(
  { store }: S3Service,
  { userId, prefix, path, id }: { userId: number; prefix: string; path: string; id: string },
): Promise<MultipartUpload[]> {
  // No path has a NUL, which PostgreSQL refuses to look for.
  if ([prefix, path, id].some((text) => text.includes("\0"))) return [];
  const after = { path, id };
  return await store.uploads({ userId, prefix, after, now: Date.now(), limit: MAX_UPLOADS });
}

/** Uploads, and the common prefixes of their keys in place of those that have one. */
function grouped(
  uploads: readonly MultipartUpload[],
  { prefix, delimiter }: { readonly prefix: string; readonly delimiter: string },
): { readonly key: string; readonly upload: MultipartUpload | undefined }[] {
  const items = uploads.map((upload) => {
    const { path } = upload;
    const end = delimiter === "" ? -1 : path.indexOf(delimiter, prefix.length);
    return end < 0
      ? { key: path, upload }
      : { key: path.slice(0, end + delimiter.length), upload: undefined };
  });
  return items.filter(({ key, upload }, at) => upload !== undefined || items[at - 1]?.key !== key);
}

/** The upload that a request names. */
export function uploadOf(c: Handled, target: Target): NamedUpload {
  return {
    caller: callerOf(c),
    path: filePathOf(target.key ?? ""),
    id: parameter(target, "uploadId") ?? "",
  };
}

function partNumber(target: Target): number {
  return numberIn(parameter(target, "partNumber") ?? "", "partNumber", { min: 1 });
}

/** @throws {S3Error} `InvalidArgument` unless a text is a number up to that of the last part. */
export function numberIn(text: string, name: string, { min = 0 } = {}): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Infinity;
  if (number >= min && number <= MAX_PARTS) return number;
  throw new S3Error(
    "InvalidArgument",
    `${name} is ${quoted(text)}, expected a number from ${min} to ${MAX_PARTS}`,
  );
}

function filePathOf(key: string): string {
  const { path, isDirectory } = pathOfKey(key);
  if (!isDirectory) return path;
  throw new S3Error("InvalidArgument", `The key ${quoted(key)} is that of a directory`);
}
