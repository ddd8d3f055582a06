import { ownerOf } from "../../core/caller.ts";
import { quoted } from "../../core/errors.ts";
import {
  type ChecksumAlgorithm,
  checksumOf,
  keptChecksum,
  runningDigest,
  USUAL,
} from "../../core/s3/checksum.ts";
import { copyObject as copyWithin } from "../../core/s3/copy_object.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { putObject } from "../../core/s3/put_object.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { changedOwners } from "../../core/tree/change_set.ts";
import type { S3Checksum, S3Metadata } from "../../schemas/s3_metadata.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { checksumElements, statedAlgorithm } from "./checksums.ts";
import { type CopySource, copySource, openSource } from "./copy_source.ts";
import { etagOf, metadataOf, refuseUnsupported, requireObject } from "./headers.ts";
import type { FoundObject } from "./objects.ts";
import { element, timeElement, xmlReply } from "./reply.ts";
import type { RequestHeaders } from "./request_headers.ts";
import type { Handled, Target } from "./target.ts";

/** `PUT /s3/{bucket}/{key}` with `x-amz-copy-source`: CopyObject. */
export async function copyObject(c: Handled, services: Services, { key = "", headers }: Target) {
  const { s3 } = services;
  const caller = callerOf(c);
  const { path, isDirectory } = pathOfKey(key);
  auditChange(c, { paths: [path] });
  if (isDirectory) {
    throw new S3Error("InvalidArgument", `The key ${quoted(key)} is that of a directory`);
  }
  refuseUnsupported(headers);
  const algorithm = statedAlgorithm(headers);
  const found = await copySource(c, services, headers);
  const { caller: reader, object, tree } = found;
  const { record: source } = object;
  const stated = metadataFor(headers, object);
  const isWithin = ownerOf(reader) === ownerOf(caller) && tree === s3.tree;
  const isSame = source.path === path && isWithin;
  if (isSame && !CHANGES.some((name) => headers.get(name) === "REPLACE")) {
    throw new S3Error(
      "InvalidRequest",
      `Cannot copy ${quoted(key)} to itself without other metadata or tags`,
    );
  }
  const checksum = await checksumOfCopy(found, algorithm);
  const kept = keptChecksum(checksum);
  const metadata = { ...stated, ...kept && { checksum: kept } };
  const write = { caller, path, metadata, requireObject: requireObject(headers) };
  const { changes, record = source } = isWithin
    ? await copyWithin(s3, { ...write, source })
      .then(({ changes, files: [record] }) => ({ changes, record }))
    // Content of another tree, or a former one, is read with the rights there, and stored like any upload.
    : await putObject(s3, {
      ...write,
      declaredSize: source.size,
      content: (await openSource(found, (size) => ({ start: 0, end: size }))).content,
      verify: () => undefined,
    });
  auditChange(c, { paths: [path], records: changedOwners(changes) });
  return xmlReply(c, "CopyObjectResult", [
    timeElement("LastModified", record.updatedAt),
    element("ETag", etagOf(record, undefined)),
    ...checksumElements(checksum),
  ]);
}

/** The checksum of a copy: that of the source, unless the client wants another one. One of parts is made anew. */
async function checksumOfCopy(
  source: CopySource,
  wanted: ChecksumAlgorithm | undefined,
): Promise<S3Checksum> {
  const { record, facts } = source.object;
  const kept = checksumOf(record, facts);
  const algorithm = wanted ?? kept.algorithm;
  if (kept.type === "FULL_OBJECT" && kept.algorithm === algorithm) return kept;
  if (algorithm === USUAL.algorithm) return checksumOf(record, undefined);
  const { content } = await openSource(source, (size) => ({ start: 0, end: size }));
  const digest = runningDigest(algorithm);
  for await (const chunk of content) digest.update(chunk);
  return { algorithm, type: "FULL_OBJECT", value: digest.digest().toBase64() };
}

/** The headers of a copy that has other metadata than its source. */
const CHANGES = ["x-amz-metadata-directive", "x-amz-tagging-directive"];

/** The metadata of a copy: that of the source, or what the request states, for each kind of it. */
function metadataFor(given: RequestHeaders, { facts }: FoundObject): S3Metadata {
  const stated = metadataOf(given);
  const former = facts?.metadata ?? { headers: {}, user: {}, tags: {} };
  const replaces = (name: string) => {
    const value = given.get(name) ?? "COPY";
    if (value === "COPY" || value === "REPLACE") return value === "REPLACE";
    throw new S3Error("InvalidArgument", `${name} is ${quoted(value)}, expected COPY or REPLACE`);
  };
  const [replacesMetadata, replacesTags] = CHANGES.map(replaces);
  const { headers, user } = replacesMetadata ? stated : former;
  const { tags } = replacesTags ? stated : former;
  return { headers, user, tags };
}
