import { quoted } from "../../core/errors.ts";
import { checksumOf } from "../../core/s3/checksum.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import { httpDate } from "../request/conditional.ts";
import { auditChange } from "../serving/audit.ts";
import type { Services } from "../serving/route.ts";
import { checksumElements } from "./checksums.ts";
import { etagOf } from "./headers.ts";
import { limitOf } from "./list.ts";
import { numberIn } from "./multipart.ts";
import { openObject } from "./objects.ts";
import { element, type Xml, xmlReply } from "./reply.ts";
import type { Handled, Target } from "./target.ts";

const ATTRIBUTES = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"] as const;
type Attribute = typeof ATTRIBUTES[number];

/** `GET /s3/{bucket}/{key}?attributes`: GetObjectAttributes. */
export async function getObjectAttributes(c: Handled, services: Services, target: Target) {
  const wanted = wantedAttributes(target);
  const { path } = pathOfKey(target.key ?? "");
  // Recorded if the gate refuses it.
  auditChange(c, { paths: [path] });
  const { record, facts, version } = await openObject(c, services, target, "HEAD");
  const parts = facts?.metadata.parts;
  const elements: Readonly<Record<Attribute, () => Xml | undefined>> = {
    ETag: () => element("ETag", etagOf(record, facts?.etag).replaceAll('"', "")),
    Checksum: () => element("Checksum", checksumElements(checksumOf(record, facts))),
    ObjectParts: () => parts && partsElement(target, parts),
    StorageClass: () => element("StorageClass", "STANDARD"),
    ObjectSize: () => element("ObjectSize", record.size),
  };
  const found = ATTRIBUTES.filter((it) => wanted.includes(it)).map((it) => elements[it]());
  return xmlReply(c, "GetObjectAttributesResponse", found, {
    "Last-Modified": httpDate(record.updatedAt),
    ...version !== undefined && { "x-amz-version-id": version },
  });
}

/** @throws {S3Error} `InvalidArgument` when none is named, or one that is not known. */
function wantedAttributes({ headers }: Target): readonly string[] {
  const text = headers.get("x-amz-object-attributes") ?? "";
  const wanted = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const isKnown = wanted.every((name) => ATTRIBUTES.some((it) => it === name));
  if (isKnown && wanted.length > 0) return wanted;
  throw new S3Error(
    "InvalidArgument",
    `x-amz-object-attributes is ${quoted(text)}, expected some of ${ATTRIBUTES.join(", ")}`,
  );
}

/** A page of the parts that an object was uploaded in. Their own checksums are not kept. */
function partsElement(
  { headers }: Target,
  sizes: NonNullable<S3Metadata["parts"]>,
): Xml {
  const limit = limitOf(headers.get("x-amz-max-parts") ?? undefined, "x-amz-max-parts");
  const after = numberIn(headers.get(MARKER) ?? "0", MARKER);
  const parts: Xml[] = [];
  let count = 0;
  for (const [size, some] of sizes) {
    const end = count + some;
    for (let at = Math.max(count, after); at < end && parts.length < limit; at++) {
      parts.push(element("Part", [element("PartNumber", at + 1), element("Size", size)]));
    }
    count = end;
  }
  const last = after + parts.length;
  return element("ObjectParts", [
    element("PartsCount", count),
    element("PartNumberMarker", after),
    element("MaxParts", limit),
    element("IsTruncated", last < count),
    ...last < count ? [element("NextPartNumberMarker", last)] : [],
    ...parts,
  ]);
}

const MARKER = "x-amz-part-number-marker";
