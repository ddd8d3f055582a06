import { Buffer } from "node:buffer";
import { ownerOf } from "../../core/caller.ts";
import { isoTime } from "../../core/entries.ts";
import { quoted } from "../../core/errors.ts";
import { USUAL } from "../../core/s3/checksum.ts";
import { type KeyItem, type KeysPage, listKeys } from "../../core/s3/list_keys.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { callerOf } from "../serving/auth.ts";
import { escapeXml } from "../reply/xml.ts";
import type { Services } from "../serving/route.ts";
import { kindElements } from "./checksums.ts";
import { etagOf } from "./headers.ts";
import { element, type Xml, xmlReply } from "./reply.ts";
import { type Handled, parameter, type Target } from "./target.ts";

/** The most keys and common prefixes in a page. */
const MAX_KEYS = 1000;

/** What the parameters of a list ask for. */
export interface ListParameters {
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
  /** Writes keys as the client wants them. */
  readonly written: (name: string, key: string) => Xml;
  readonly encoding: Xml | undefined;
}

/** `GET /s3/{bucket}?list-type=2`: ListObjectsV2. */
export async function listObjectsV2(c: Handled, services: Services, target: Target) {
  const given = parametersOf(target);
  const { prefix, delimiter, limit, written } = given;
  const token = parameter(target, "continuation-token");
  const startAfter = parameter(target, "start-after") ?? "";
  const after = token === undefined ? startAfter : fromToken(token);
  const page = await pageOf(c, services, given, after);
  const last = page.items.at(-1)?.key;
  return xmlReply(c, "ListBucketResult", [
    element("Name", target.bucket ?? ""),
    written("Prefix", prefix),
    delimiter === "" ? undefined : written("Delimiter", delimiter),
    element("MaxKeys", limit),
    element("KeyCount", page.items.length),
    element("IsTruncated", page.hasMore),
    given.encoding,
    token === undefined ? undefined : element("ContinuationToken", token),
    startAfter === "" ? undefined : written("StartAfter", startAfter),
    page.hasMore && last !== undefined
      ? element("NextContinuationToken", toToken(last))
      : undefined,
    ...itemElements(page, given),
  ]);
}

/** `GET /s3/{bucket}`: ListObjects. */
export async function listObjects(c: Handled, services: Services, target: Target) {
  const given = parametersOf(target);
  const { prefix, delimiter, limit, written } = given;
  const marker = parameter(target, "marker") ?? "";
  const page = await pageOf(c, services, given, marker);
  const last = page.items.at(-1)?.key;
  return xmlReply(c, "ListBucketResult", [
    element("Name", target.bucket ?? ""),
    written("Prefix", prefix),
    written("Marker", marker),
    delimiter === "" ? undefined : written("Delimiter", delimiter),
    element("MaxKeys", limit),
    element("IsTruncated", page.hasMore),
    given.encoding,
    page.hasMore && last !== undefined ? written("NextMarker", last) : undefined,
    ...itemElements(page, given),
  ]);
}

function pageOf(
  c: Handled,
  { s3 }: Services,
  { prefix, delimiter, limit }: ListParameters,
  after: string,
): Promise<KeysPage> {
  const userId = ownerOf(callerOf(c));
  const source = { s3: s3.store, records: s3.tree.records };
  // No path has a NUL, so nothing is between a key and the same with one.
  const [start = ""] = after.split("\0");
  if (prefix.includes("\0")) return Promise.resolve({ items: [], hasMore: false });
  return listKeys(source, { userId, prefix, delimiter, after: start, limit });
}

function itemElements({ items }: KeysPage, { written }: ListParameters): Xml[] {
  return items.map((item) =>
    item.record === undefined
      ? element("CommonPrefixes", [written("Prefix", item.key)])
      : contents(item, item.record, written)
  );
}

/** Written as one text, in a third of the time of elements: a page has a thousand. */
function contents(
  { key }: KeyItem,
  record: NonNullable<KeyItem["record"]>,
  written: ListParameters["written"],
): Xml {
  const { updatedAt, size, etag, checksum = record.isDir ? undefined : USUAL } = record;
  // Without its quotes, it is nearly always text that need not be escaped.
  const tag = escapeXml(etagOf(record, etag).slice(1, -1));
  return {
    xml: `<Contents>${written("Key", key).xml}<LastModified>${isoTime(updatedAt)}</LastModified>` +
      `<ETag>&#34;${tag}&#34;</ETag>` +
      kindElements(checksum).xml + `<Size>${size}</Size>` +
      "<StorageClass>STANDARD</StorageClass></Contents>",
  };
}

/** The parameters that all lists of keys have. */
export function parametersOf(target: Target): ListParameters {
  const encoding = parameter(target, "encoding-type");
  if (encoding !== undefined && encoding !== "url") {
    throw new S3Error("InvalidArgument", `encoding-type is ${quoted(encoding)}, expected url`);
  }
  return {
    prefix: parameter(target, "prefix") ?? "",
    delimiter: parameter(target, "delimiter") ?? "",
    limit: limitOf(parameter(target, "max-keys"), "max-keys"),
    written: writtenAs(encoding),
    encoding: encoding === undefined ? undefined : element("EncodingType", encoding),
  };
}

/** What writes keys: as they are, or percent-encoded. */
export function writtenAs(encoding: string | undefined): (name: string, key: string) => Xml {
  return (name, key) =>
    PLAIN_KEY.test(key) ? { xml: `<${name}>${key}</${name}>` } : element(
      name,
      encoding === undefined ? key : encodeURIComponent(key).replaceAll("%2F", "/"),
    );
}

/** Keys of these characters are written as they are, percent-encoded or not. */
const PLAIN_KEY = /^[\w.~/-]*$/;

/** How many items a page may have. */
export function limitOf(text: string | undefined, name: string): number {
  if (text === undefined || text === "") return MAX_KEYS;
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text), MAX_KEYS);
  throw new S3Error("InvalidArgument", `${name} is ${quoted(text)}, expected a number`);
}

/** A token for what comes after a key or a name, which clients send back unread. */
export function toToken(key: string): string {
  return Buffer.from(key).toString("base64url");
}

/** @throws {S3Error} `InvalidArgument` when it is none of {@link toToken}. */
export function fromToken(token: string): string {
  const key = Buffer.from(token, "base64url").toString();
  if (toToken(key) === token && token !== "") return key;
  throw new S3Error(
    "InvalidArgument",
    `The continuation token ${quoted(token)} is not one of ours`,
  );
}
