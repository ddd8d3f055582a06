import { tagObject } from "../../core/s3/tag_object.ts";
import type { S3Service } from "../../core/s3/service.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { refuseLarge, tagsFrom } from "./headers.ts";
import { findObject, type FoundObject, noSuchKey } from "./objects.ts";
import { element, emptyReply, xmlReply } from "./reply.ts";
import type { Handled, Target } from "./target.ts";
import { childrenOf, malformed, requiredText, xmlOf } from "./xml_body.ts";

/** `GET /s3/{bucket}/{key}?tagging`: GetObjectTagging. */
export async function getTags(c: Handled, { s3 }: Services, target: Target) {
  const { facts } = await fileOf(c, s3, target);
  const tags = Object.entries(facts?.metadata.tags ?? {});
  return xmlReply(c, "Tagging", [
    element(
      "TagSet",
      tags.map(([key, value]) => element("Tag", [element("Key", key), element("Value", value)])),
    ),
  ]);
}

/** `PUT /s3/{bucket}/{key}?tagging`: PutObjectTagging. */
export async function putTags(c: Handled, { s3 }: Services, target: Target) {
  const document = await xmlOf(c, "Tagging");
  const [set] = childrenOf(document, "TagSet");
  if (set === undefined) throw malformed("The element TagSet is missing");
  const pairs = childrenOf(set, "Tag")
    .map((tag) => [requiredText(tag, "Key"), requiredText(tag, "Value")] as const);
  await change(c, s3, target, tagsFrom(pairs));
  return emptyReply(c, 200);
}

/** `DELETE /s3/{bucket}/{key}?tagging`: DeleteObjectTagging. */
export async function deleteTags(c: Handled, { s3 }: Services, target: Target) {
  await change(c, s3, target, {});
  return emptyReply(c, 204);
}

async function change(c: Handled, s3: S3Service, target: Target, tags: S3Metadata["tags"]) {
  auditChange(c, { paths: [target.key ?? ""], details: { tags: JSON.stringify(tags) } });
  const { record } = await fileOf(c, s3, target);
  await tagObject(s3, {
    caller: callerOf(c),
    record,
    change(metadata) {
      const changed = { ...metadata, tags };
      refuseLarge(changed);
      return changed;
    },
  });
}

async function fileOf(c: Handled, s3: S3Service, { key = "" }: Target): Promise<FoundObject> {
  const object = await findObject(s3, callerOf(c), key);
  if (object === undefined || object.record.isDir) throw noSuchKey(key);
  return object;
}
