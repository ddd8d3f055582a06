import type { Context } from "hono";
import { type Caller, inTree, ownerOf } from "../../core/caller.ts";
import { quoted } from "../../core/errors.ts";
import { inNamedTree, type Names } from "../../core/people/named.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { decodePath } from "../request/address_path.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { parseQuery, type Query } from "../request/query.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import { S3_PATH } from "../reply/error_forms.ts";
import { RequestHeaders } from "./request_headers.ts";

export type Handled = Context<AppEnvironment>;

/** What a request is for. */
export interface Target {
  /** The whole path as the client sent it, decoded. */
  readonly path: string;
  /** Undefined for the door itself. */
  readonly bucket: string | undefined;
  /** Undefined for a bucket itself. */
  readonly key: string | undefined;
  /** The values of each parameter, decoded. */
  readonly query: Query;
  readonly headers: RequestHeaders;
}

/** The bucket that is the tree of the caller. */
const OWN = "own";
const TREE = /^tree-([1-9]\d{0,15}|[a-z][a-z0-9._-]{0,63})$/;

/**
 * Reads the address of a request. The address as it was sent counts: a router may drop slashes.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not percent-encoded UTF-8.
 */
export function targetOf(c: Handled, publicUrl: PublicUrl): Target {
  const { url } = c.req;
  const hash = url.indexOf("#");
  const start = url.indexOf("/", url.indexOf("://") + "://".length);
  const address = url.slice(start, hash < 0 ? undefined : hash);
  const question = address.indexOf("?");
  const path = decodePath(question < 0 ? address : address.slice(0, question));
  const isWhole = publicUrl.path !== "" && path.startsWith(`${publicUrl.path}/`);
  const own = isWhole ? path.slice(publicUrl.path.length) : path;
  const inDoor = own === S3_PATH || own.startsWith(`${S3_PATH}/`) ? own.slice(S3_PATH.length) : own;
  const slash = inDoor.indexOf("/", 1);
  const bucket = inDoor.slice(1, slash < 0 ? undefined : slash);
  const key = slash < 0 ? "" : inDoor.slice(slash + 1);
  return {
    path,
    bucket: bucket === "" ? undefined : bucket,
    key: key === "" ? undefined : key,
    query: parseQuery(address),
    headers: new RequestHeaders(c.req.raw.headers),
  };
}

/** The first value of a parameter. */
export function parameter({ query }: Target, name: string): string | undefined {
  return query.get(name)?.[0];
}

/**
 * The caller in the tree that a bucket is (C 27).
 *
 * @throws {S3Error} `NoSuchBucket` when no tree can have the name.
 * @throws {AppError} `ErrUsersNotFound` when none has, and the caller is an administrator.
 */
export async function inBucket(people: Names, caller: Caller, bucket: string): Promise<Caller> {
  if (bucket === OWN) return inTree(caller, caller.userId);
  const [, named] = TREE.exec(bucket) ?? [];
  if (named !== undefined) return await inNamedTree(people, caller, named);
  throw new S3Error(
    "NoSuchBucket",
    `No bucket ${
      quoted(bucket)
    }: the buckets are ${OWN}, and tree-7 or tree-ana for those of others`,
  );
}

/** The bucket that is the tree of a user, by the name of that if it has one, as the user `userId` sees it. */
export async function bucketOfTree(
  people: Pick<PeopleStore, "findByNumber">,
  tree: number,
  userId: number,
): Promise<string> {
  return tree === userId ? OWN : `tree-${(await people.findByNumber(tree))?.name ?? tree}`;
}

/**
 * Refuses a request for a tree of somebody else than its client expects.
 *
 * @param caller In the tree that is the bucket.
 * @param expected The number of a user, from a header.
 * @throws {S3Error} `AccessDenied`.
 */
export function requireOwner(bucket: string, caller: Caller, expected: string | null): void {
  if (expected === null || expected === String(ownerOf(caller))) return;
  // Who may do nothing there is refused for that, and learns nothing of who there is.
  if (caller.privileges.size === 0) return;
  throw new S3Error(
    "AccessDenied",
    `The bucket ${quoted(bucket)} is not the tree of user ${quoted(expected)}`,
  );
}
