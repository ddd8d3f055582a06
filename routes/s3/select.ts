import type { ByteRange } from "../../core/blob_store.ts";
import { quoted } from "../../core/errors.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { MAX_PARTS } from "../../core/s3/multipart.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import {
  type HeaderSource,
  representationOf,
  select,
  type Selection,
} from "../request/conditional.ts";
import { etagOf, withQuotes } from "./headers.ts";
import { parameter, type Target } from "./target.ts";

/**
 * What a request reads of an object: all of it, a range, or a part by its number. Unlike elsewhere, HEAD has the range
 * that GET would send.
 *
 * @param number That of the part, if the request names one.
 * @throws {S3Error} `InvalidPartNumber` when there is no such part.
 */
export function selectObject(
  method: string,
  { headers, number }: { readonly headers: HeaderSource; readonly number: number | undefined },
  { record, facts }: { readonly record: ResourceRecord; readonly facts: ObjectFacts | undefined },
): Selection {
  const found = select({ method: "GET", headers: withQuotes(headers) }, {
    ...representationOf(record),
    etag: etagOf(record, facts?.etag),
  });
  if (found.range === undefined) return found;
  const part = number === undefined ? undefined : rangeOfPart(number, record, facts);
  const selection: Selection = part === undefined ? found : { status: 206, range: part };
  return method === "HEAD" ? { ...selection, isHead: true } : selection;
}

/** How many parts the object has, if the request names one and they are known. */
export function partHeaders(
  target: Target,
  facts: ObjectFacts | undefined,
): Record<string, string> {
  const parts = facts?.metadata.parts;
  if (parts === undefined || !target.query.has(PART_NUMBER)) return {};
  return { "x-amz-mp-parts-count": String(parts.reduce((sum, [, count]) => sum + count, 0)) };
}

const PART_NUMBER = "partNumber";

/**
 * The number of the part that a request reads, if it names one.
 *
 * @throws {S3Error} `InvalidArgument`, and `InvalidRequest` when it wants a range besides.
 */
export function partNumberOf(target: Target): number | undefined {
  if (!target.query.has(PART_NUMBER)) return undefined;
  const text = parameter(target, PART_NUMBER) ?? "";
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > MAX_PARTS) {
    throw new S3Error(
      "InvalidArgument",
      `${PART_NUMBER} is ${quoted(text)}, expected a number from 1 to ${MAX_PARTS}`,
    );
  }
  if (!target.headers.has("Range")) return number;
  throw new S3Error("InvalidRequest", `A request has a Range or a ${PART_NUMBER}, not both`);
}

/** Where a part is. An object in one piece is its only part; undefined if that is empty. */
function rangeOfPart(
  number: number,
  { size }: ResourceRecord,
  facts: ObjectFacts | undefined,
): ByteRange | undefined {
  let [start, before] = [0, 0];
  for (const [bytes, count] of facts?.metadata.parts ?? [[size, 1]]) {
    const at = start + (number - before - 1) * bytes;
    if (number <= before + count) return size === 0 ? undefined : { start: at, end: at + bytes };
    [start, before] = [start + bytes * count, before + count];
  }
  throw new S3Error(
    "InvalidPartNumber",
    `The object has ${before} parts, and not number ${number}`,
  );
}
