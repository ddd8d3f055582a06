import { Buffer } from "node:buffer";
import { quoted } from "../../core/errors.ts";
import { type Checksum, CHECKSUM_ALGORITHMS, CHECKSUM_BYTES } from "../../core/s3/checksum.ts";
import { completeMultipart, type StatedPart } from "../../core/s3/complete_multipart.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import type { HeaderSource } from "../request/conditional.ts";
import type { XmlElement } from "../request/xml.ts";
import { auditChange } from "../serving/audit.ts";
import type { Services } from "../serving/route.ts";
import { checksumElements, statedOfParts, statedType } from "./checksums.ts";
import { requireObject } from "./headers.ts";
import { numberIn, uploadOf } from "./multipart.ts";
import { element, lateXmlReply } from "./reply.ts";
import type { Handled, Target } from "./target.ts";
import { childrenOf, childText, requiredText, xmlOf } from "./xml_body.ts";

/** `POST /s3/{bucket}/{key}?uploadId=`: CompleteMultipartUpload. */
export async function completeMultipartUpload(c: Handled, services: Services, target: Target) {
  const { bucket = "", key = "", headers } = target;
  const upload = uploadOf(c, target);
  auditChange(c, { paths: [upload.path] });
  const document = await xmlOf(c, "CompleteMultipartUpload", false);
  const completed = completeMultipart(services.s3, {
    ...upload,
    parts: childrenOf(document, "Part").map(statedPart),
    stated: {
      checksum: statedOfParts(headers),
      type: statedType(headers),
      size: statedSize(headers),
    },
    requireObject: requireObject(headers),
  });
  return await lateXmlReply(c, "CompleteMultipartUploadResult", completed, (done) => {
    auditChange(c, {
      ...c.get("audited"),
      paths: [upload.path],
      records: changedOwners(done.changes),
    });
    return [
      element("Location", `${services.publicUrl.originFor(c)}${target.path}`),
      element("Bucket", bucket),
      element("Key", key),
      element("ETag", `"${done.etag}"`),
      ...checksumElements(done.checksum),
    ];
  });
}

function statedPart(part: XmlElement): StatedPart {
  return {
    number: numberIn(requiredText(part, "PartNumber"), "PartNumber", { min: 1 }),
    md5: requiredText(part, "ETag").trim().replaceAll('"', ""),
    checksum: statedOfPart(part),
  };
}

/**
 * The checksum that a list of parts states of one.
 *
 * @throws {S3Error} `InvalidArgument` when there are several, or it is none.
 */
function statedOfPart(part: XmlElement): Checksum | undefined {
  const stated: Checksum[] = [];
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const name = `Checksum${algorithm}`;
    const value = childText(part, name)?.trim();
    if (value === undefined) continue;
    stated.push({ algorithm, value });
    if (Buffer.from(value, "base64").length === CHECKSUM_BYTES[algorithm]) continue;
    throw new S3Error("InvalidArgument", `The element ${name} is ${quoted(value)}`);
  }
  if (stated.length > 1) {
    throw new S3Error("InvalidArgument", "A part is stated with more than one checksum");
  }
  return stated[0];
}

const SIZE = "x-amz-mp-object-size";

function statedSize(headers: HeaderSource): number | undefined {
  const text = headers.get(SIZE);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new S3Error("InvalidRequest", `${SIZE} is ${quoted(text)}, expected a size in bytes`);
}
