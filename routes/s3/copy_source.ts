import type { ByteRange } from "../../core/blob_store.ts";
import { type Caller, requirePermission } from "../../core/caller.ts";
import type { ContentReader } from "../../core/content.ts";
import { quoted } from "../../core/errors.ts";
import { pathOfKey } from "../../core/s3/object_key.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { versionTree } from "../../core/s3/versions.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { downloadFile } from "../../core/tree/download.ts";
import type { Services } from "../serving/route.ts";
import { decodePath } from "../request/address_path.ts";
import { type HeaderSource, representationOf, select } from "../request/conditional.ts";
import { authenticated } from "./authenticate.ts";
import { etagOf, withQuotes } from "./headers.ts";
import { findObject, type FoundObject, noSuchKey, requireState } from "./objects.ts";
import { type Handled, inBucket, requireOwner } from "./target.ts";

/** The header that names what is copied. */
export const COPY_SOURCE = "x-amz-copy-source";

/** An object to copy, and the caller in its tree. */
export interface CopySource {
  readonly caller: Caller;
  readonly object: FoundObject;
  /** The tree as it was, if a version is copied. */
  readonly tree: Tree;
}

/**
 * The object that a request copies from.
 *
 * @throws {S3Error} `NoSuchKey`, `NoSuchVersion`.
 * @throws {AppError} `ErrNotPermitted`, and `ErrPreconditionFailed` when it is not what the client expects,
 *   `ErrResourcesInvalidRequest` when the header is not percent-encoded UTF-8.
 */
export async function copySource(
  c: Handled,
  { s3, people }: Pick<Services, "s3" | "people">,
  headers: HeaderSource,
): Promise<CopySource> {
  const stated = headers.get(COPY_SOURCE) ?? "";
  const [address = "", query] = stated.split("?");
  const [, version] = /^versionId=(.+)$/.exec(query ?? "") ?? [];
  if (query !== undefined && version === undefined) {
    throw new S3Error("NotImplemented", `The parameter ${quoted(query)} is not offered here`);
  }
  const [bucket = "", ...rest] = decodePath(address).replace(/^\//, "").split("/");
  const key = rest.join("/");
  const { caller: holder } = authenticated(c.req.raw).verified;
  const caller = await inBucket(people, holder, bucket);
  requirePermission(caller, "resources.download");
  requireOwner(bucket, caller, headers.get("x-amz-source-expected-bucket-owner"));
  const { path } = pathOfKey(key);
  const { tree, file } = version === undefined
    ? { tree: s3.tree }
    : await versionTree(s3, { caller, path, version });
  const object = await findObject({ ...s3, tree }, caller, key);
  if (object === undefined || object.record.isDir) throw noSuchKey(key);
  if (file !== undefined) requireState(object.record, file);
  requireConditions(headers, object);
  return { caller, object, tree };
}

/** Opens a range of the object to copy, which is the one that was found. */
export async function openSource(
  { caller, object, tree }: CopySource,
  rangeOf: (size: number) => ByteRange,
): Promise<{ readonly content: ContentReader; readonly range: ByteRange }> {
  const { content, selection: { range } } = await downloadFile(tree, {
    caller,
    path: object.record.path,
    select(record) {
      requireState(record, object.record);
      return { range: rangeOf(record.size) };
    },
  });
  if (content === undefined) throw new Error("A range has no content");
  return { content, range };
}

/** The headers `x-amz-copy-source-if-…` are conditions of the source. */
function requireConditions(headers: HeaderSource, { record, facts }: FoundObject): void {
  const conditions = withQuotes({ get: (name) => headers.get(`${COPY_SOURCE}-${name}`) });
  // The range is one of the copy, and no condition: HEAD has none.
  const selection = select({ method: "HEAD", headers: conditions }, {
    ...representationOf(record),
    etag: etagOf(record, facts?.etag),
  });
  if (selection.status === 412) throw selection.refusal;
  if (selection.status !== 304) return;
  throw new S3Error("PreconditionFailed", "The source of the copy is one that is not wanted");
}

/** The bytes that `x-amz-copy-source-range` names, or all. */
export function copiedRange(headers: HeaderSource, size: number): ByteRange {
  const text = headers.get(`${COPY_SOURCE}-range`);
  if (text === null) return { start: 0, end: size };
  const [, first = "", last = ""] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  const range = { start: Number(first), end: Number(last) + 1 };
  if (first !== "" && range.start < range.end && range.end <= size) return range;
  throw new S3Error(
    "InvalidArgument",
    `${COPY_SOURCE}-range is ${quoted(text)}, expected one such as bytes=0-9 of ${size} bytes`,
  );
}
