import { callerOf } from "../serving/auth.ts";
import { quoted } from "../../core/errors.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { Services } from "../serving/route.ts";
import { fromToken, limitOf, toToken } from "./list.ts";
import { element, emptyReply, timeElement, xmlReply } from "./reply.ts";
import { bucketOfTree, type Handled, parameter, type Target } from "./target.ts";

/** `GET /s3`: ListBuckets. The tree of the caller, and those that its credential names. */
export async function listBuckets(
  c: Handled,
  { people }: Services,
  target: Target,
): Promise<Response> {
  const { userId, trees = new Map() } = callerOf(c);
  const prefix = parameter(target, "prefix") ?? "";
  const limit = limitOf(parameter(target, "max-buckets"), "max-buckets");
  const token = parameter(target, "continuation-token");
  const after = token === undefined ? "" : fromToken(token);
  const known = await Promise.all(
    [...new Set([userId, ...trees.keys()])].map((tree) => bucketOfTree(people, tree, userId)),
  );
  const names = known.filter((name) => name.startsWith(prefix) && name > after).sort();
  const page = names.slice(0, limit);
  const last = names.length > limit ? page.at(-1) : undefined;
  return xmlReply(c, "ListAllMyBucketsResult", [
    element("Owner", [element("ID", userId), element("DisplayName", userId)]),
    element(
      "Buckets",
      page.map((name) =>
        element("Bucket", [
          element("Name", name),
          // A tree is there from the start.
          timeElement("CreationDate", 0),
        ])
      ),
    ),
    prefix === "" ? undefined : element("Prefix", prefix),
    last === undefined ? undefined : element("ContinuationToken", toToken(last)),
  ]);
}

/** `HEAD /s3/{bucket}`: HeadBucket. */
export function headBucket(c: Handled): Response {
  return emptyReply(c, 200, { "X-Amz-Bucket-Region": "us-east-1" });
}

/** `GET /s3/{bucket}?location`: GetBucketLocation. Empty is `us-east-1`, what clients take without a region. */
export function getBucketLocation(c: Handled): Response {
  return xmlReply(c, "LocationConstraint", []);
}

/** `PUT /s3/{bucket}`: CreateBucket. Some clients make a bucket before they use it. */
export function createBucket(_c: Handled, _services: Services, { bucket = "" }: Target): never {
  throw new S3Error(
    "BucketAlreadyOwnedByYou",
    `The bucket ${quoted(bucket)} is a tree, which is always there`,
  );
}
