import { quoted } from "../../core/errors.ts";
import type { StoreRequest } from "../../core/s3/condition.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import type { S3Metadata } from "../../schemas/s3_metadata.ts";
import { KIB } from "../../schemas/units.ts";
import { type HeaderSource, requirePreconditions } from "../request/conditional.ts";
import type { RequestHeaders } from "./request_headers.ts";
import { parameter, type Target } from "./target.ts";

/** The most metadata of an object, names and values together, in bytes (C 30). */
const MAX_METADATA_BYTES = 2 * KIB;
const USER_PREFIX = "x-amz-meta-";
/** The headers that are kept of an object, and that its replies have. */
const KEPT_HEADERS = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
] as const;
/** The MD5 of nothing, which is the ETag of directories. */
const EMPTY_MD5 = "d41d8cd98f00b204e9800998ecf8427e";
/** Tags are as at Amazon's. */
const TAG = /^[\p{L}\p{Z}\p{N}_.:/=+@-]*$/u;
const MAX_TAGS = 10;
const MAX_TAG_KEY = 128;
const MAX_TAG_VALUE = 256;
/** Requests for operations that are not offered have these. */
const UNSUPPORTED = [
  "x-amz-grant-",
  "x-amz-if-match-",
  "x-amz-object-lock-",
  "x-amz-server-side-encryption",
  "x-amz-website-redirect-location",
  "x-amz-write-offset-bytes",
];

/**
 * The conditions of a request to store an object, for what there is.
 *
 * @throws {AppError} `ErrPreconditionFailed` when one does not hold.
 */
export function requireObject(headers: HeaderSource): StoreRequest["requireObject"] {
  const conditions = withQuotes(headers);
  return (found, etag) =>
    requirePreconditions(conditions, found && { ...found, hash: etag ?? found.hash });
}

/** The headers of a request, whose entity tags have quotes. Amazon's clients may leave them out. */
export function withQuotes(headers: HeaderSource): HeaderSource {
  return {
    get(name) {
      const value = headers.get(name);
      if (value === null || !/^If-(?:None-)?Match$/i.test(name)) return value;
      const tag = value.trim();
      return /^[^"*,\s]+$/.test(tag) ? `"${tag}"` : value;
    },
  };
}

/** The ETag of an object, in quotes. */
export function etagOf({ hash }: { readonly hash: string }, stated: string | undefined): string {
  return `"${stated ?? (hash === "" ? EMPTY_MD5 : hash)}"`;
}

/**
 * The metadata of an object that a request states.
 *
 * @throws {S3Error} `MetadataTooLarge` when it is more than 2 KiB.
 */
export function metadataOf(headers: RequestHeaders): S3Metadata {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    const stated = name === "content-encoding" ? withoutChunks(value) : value;
    if (stated !== null && stated !== "") kept[name] = stated;
  }
  const user = Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith(USER_PREFIX) && name !== USER_PREFIX)
      .map(([name, value]) => [name.slice(USER_PREFIX.length), value]),
  );
  const tagging = headers.get("x-amz-tagging");
  const metadata = { headers: kept, user, tags: tagging === null ? {} : tagsOf(tagging) };
  refuseLarge(metadata);
  return metadata;
}

/** @throws {S3Error} `MetadataTooLarge` when it is more than 2 KiB. */
export function refuseLarge({ headers, user, tags }: S3Metadata): void {
  const text = [headers, user, tags].flatMap((all) => Object.entries(all).flat()).join("");
  // A character has three bytes at most, and memory takes longer to get than all else here.
  if (3 * text.length <= MAX_METADATA_BYTES) return;
  const bytes = new TextEncoder().encode(text).length;
  if (bytes <= MAX_METADATA_BYTES) return;
  throw new S3Error(
    "MetadataTooLarge",
    `The metadata and tags have ${bytes} bytes (maximum: ${MAX_METADATA_BYTES})`,
  );
}

/** How a body is sent is no property of the object. */
function withoutChunks(encoding: string | null): string {
  return (encoding ?? "").split(",").map((it) => it.trim())
    .filter((it) => it !== "" && it.toLowerCase() !== "aws-chunked").join(", ");
}

function tagsOf(text: string): Record<string, string> {
  return tagsFrom([...new URLSearchParams(text)]);
}

/**
 * The tags that a request states, by their keys.
 *
 * @throws {S3Error} `InvalidTag` when one cannot be a tag at Amazon's, or has the key of another one, `BadRequest` when
 *   there are too many.
 */
export function tagsFrom(pairs: readonly (readonly [key: string, value: string])[]) {
  const tags: Record<string, string> = {};
  for (const [key, value] of pairs) {
    const isTag = TAG.test(key) && key !== "" && key.length <= MAX_TAG_KEY &&
      TAG.test(value) && value.length <= MAX_TAG_VALUE;
    if (!isTag) {
      throw new S3Error(
        "InvalidTag",
        `The tag ${quoted(key)}=${
          quoted(value)
        } is not one of letters, digits, blanks and +-=._:/@, ` +
          `with a key of up to ${MAX_TAG_KEY} characters and a value of up to ${MAX_TAG_VALUE}`,
      );
    }
    if (Object.hasOwn(tags, key)) {
      throw new S3Error("InvalidTag", `The tag ${quoted(key)} comes twice`);
    }
    tags[key] = value;
  }
  if (pairs.length <= MAX_TAGS) return tags;
  throw new S3Error("BadRequest", `There are ${pairs.length} tags (maximum: ${MAX_TAGS})`);
}

/**
 * The headers of a reply with an object.
 *
 * @param target Its parameters such as `response-content-type` replace headers.
 */
export function objectHeaders(
  { hash }: { readonly hash: string },
  facts: ObjectFacts | undefined,
  target: Target,
): Record<string, string> {
  const all: Record<string, string> = {};
  const { headers = {}, user = {}, tags = {} } = facts?.metadata ?? {};
  for (const [name, value] of Object.entries(headers)) all[titleCase(name)] = value;
  for (const name of target.query.size === 0 ? [] : KEPT_HEADERS) {
    const value = parameter(target, `response-${name}`);
    if (value !== undefined) all[titleCase(name)] = value;
  }
  all.ETag = etagOf({ hash }, facts?.etag);
  for (const [name, value] of Object.entries(user)) all[`${USER_PREFIX}${name}`] = value;
  const count = Object.keys(tags).length;
  if (count > 0) all["x-amz-tagging-count"] = String(count);
  return all;
}

/** The name of a header as replies have it, so that one replaces another. */
function titleCase(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** @throws {S3Error} `NotImplemented` when a request asks for what the door does not have. */
export function refuseUnsupported(headers: RequestHeaders): void {
  for (const [name, value] of headers) {
    if (!name.startsWith("x-amz-")) continue;
    const prefix = UNSUPPORTED.find((it) => name.startsWith(it));
    const isUsualClass = ["", "STANDARD"].includes(value);
    if (prefix === undefined && !(name === "x-amz-storage-class" && !isUsualClass)) continue;
    throw new S3Error("NotImplemented", `The header ${name} is not offered here`);
  }
}
