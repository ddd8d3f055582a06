import { ownerOf } from "../../core/caller.ts";
import { USUAL } from "../../core/s3/checksum.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { hasVersions, listVersions, type VersionItem } from "../../core/s3/versions.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { kindElements } from "./checksums.ts";
import { etagOf } from "./headers.ts";
import { type ListParameters, parametersOf } from "./list.ts";
import { element, timeElement, type Xml, xmlReply } from "./reply.ts";
import { type Handled, parameter, type Target } from "./target.ts";

/** `GET /s3/{bucket}?versions`: ListObjectVersions. Directories have no versions. */
export async function listObjectVersions(c: Handled, { s3 }: Services, target: Target) {
  const given = parametersOf(target);
  const { prefix, delimiter, limit, written } = given;
  const after = parameter(target, "key-marker") ?? "";
  const marker = parameter(target, "version-id-marker") ?? "";
  if (marker !== "" && after === "") {
    throw new S3Error("InvalidArgument", "A version-id-marker needs a key-marker");
  }
  const olderThan = marker === "" ? undefined : marker;
  const userId = ownerOf(callerOf(c));
  const isEmpty = [prefix, after].some((text) => text.includes("\0"));
  const page = isEmpty
    ? { items: [], hasMore: false }
    : await listVersions(s3, { userId, prefix, delimiter, after, olderThan, limit });
  const last = page.hasMore ? page.items.at(-1) : undefined;
  return xmlReply(c, "ListVersionsResult", [
    element("Name", target.bucket ?? ""),
    written("Prefix", prefix),
    written("KeyMarker", after),
    element("VersionIdMarker", marker),
    delimiter === "" ? undefined : written("Delimiter", delimiter),
    element("MaxKeys", limit),
    element("IsTruncated", page.hasMore),
    given.encoding,
    last && written("NextKeyMarker", last.key),
    last?.version && element("NextVersionIdMarker", last.version.id),
    ...page.items.map((item) => itemElement(item, written)),
  ]);
}

function itemElement({ key, version }: VersionItem, written: ListParameters["written"]): Xml {
  if (version === undefined) return element("CommonPrefixes", [written("Prefix", key)]);
  const { id, isLatest, modifiedAt, file } = version;
  return element(file === undefined ? "DeleteMarker" : "Version", [
    written("Key", key),
    element("VersionId", id),
    element("IsLatest", isLatest),
    timeElement("LastModified", modifiedAt),
    ...file === undefined ? [] : [
      element("ETag", etagOf(file, file.etag)),
      kindElements(file.checksum ?? USUAL),
      element("Size", file.size),
      element("StorageClass", "STANDARD"),
    ],
  ]);
}

/** `GET /s3/{bucket}?versioning`: GetBucketVersioning. Clients look here for what they may expect. */
export async function getBucketVersioning(c: Handled, { s3 }: Services) {
  const isKept = await hasVersions(s3.tree, ownerOf(callerOf(c)));
  return xmlReply(c, "VersioningConfiguration", isKept ? [element("Status", "Enabled")] : []);
}
