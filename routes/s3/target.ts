import type { Context } from "hono";
import { quoted } from "../../core/errors.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { UserId } from "../../schemas/credentials.ts";
import * as v from "valibot";
import { decodePath } from "../request/address_path.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery, type Query } from "../request/query.ts";
import type { PublicUrl } from "../serving/public_url.ts";

export type Handled = Context<AppEnvironment>;

/** What the address of a request names. */
export interface Target {
  /** The whole path as the client sent it, decoded. */
  readonly path: string;
  /** Undefined for the door itself. */
  readonly bucket: string | undefined;
  /** Undefined for a bucket itself. */
  readonly key: string | undefined;
  /** The values of each parameter, decoded. */
  readonly query: Query;
}

/** The bucket that is the tree of the caller. */
const OWN = "own";
const TREE = /^tree-([1-9]\d{0,15})$/;

/**
 * Reads the address of a request. The address as it was sent counts: a router may drop slashes.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not percent-encoded UTF-8.
 */
export function targetOf(c: Handled, publicUrl: PublicUrl): Target {
  const afterOrigin = c.req.url.replace(/^[^:/?#]+:\/\/[^/?#]*/, "");
  const [address = ""] = afterOrigin.split("#");
  const [encoded = ""] = address.split("?");
  const path = decodePath(encoded);
  const isWhole = publicUrl.path !== "" && path.startsWith(`${publicUrl.path}/`);
  const own = path.slice(isWhole ? publicUrl.path.length : 0);
  const [, bucket = "", ...key] = own.replace(/^\/s3(?=\/|$)/, "").split("/");
  return {
    path,
    bucket: bucket === "" ? undefined : bucket,
    key: key.join("/") === "" ? undefined : key.join("/"),
    query: parseQuery(address),
  };
}

/** The first value of a parameter. */
export function parameter({ query }: Target, name: string): string | undefined {
  return query.get(name)?.[0];
}

/**
 * The user whose tree a bucket is.
 *
 * @throws {S3Error} `NoSuchBucket` when no tree can have the name.
 */
export function treeOfBucket(bucket: string, userId: number): number {
  if (bucket === OWN) return userId;
  const tree = v.safeParse(UserId, TREE.exec(bucket)?.[1]);
  if (tree.success) return tree.output;
  throw new S3Error(
    "NoSuchBucket",
    `No bucket ${quoted(bucket)}: the buckets are ${OWN}, and tree-7 for the tree of user 7`,
  );
}

/**
 * Refuses a request for a tree of somebody else than its client expects.
 *
 * @param expected The number of a user, from a header.
 * @throws {S3Error} `AccessDenied`.
 */
export function requireOwner(bucket: string, userId: number, expected: string | undefined): void {
  const owner = treeOfBucket(bucket, userId);
  if (expected === undefined || expected === String(owner)) return;
  throw new S3Error(
    "AccessDenied",
    `The bucket ${quoted(bucket)} is the tree of user ${owner}, not of ${quoted(expected)}`,
  );
}

/** The bucket that is the tree of a user, as the user `userId` sees it. */
export function bucketOfTree(tree: number, userId: number): string {
  return tree === userId ? OWN : `tree-${tree}`;
}
