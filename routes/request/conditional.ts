import type { ByteRange } from "../../core/blob_store.ts";
import { AppError, quoted } from "../../core/errors.ts";
import type { ResourceRecord } from "../../core/ports.ts";

/** What looks up headers of a request, by their names in any case. */
export type HeaderSource = Pick<Headers, "get">;

/** What a path has, as preconditions see it. */
export interface Current {
  /** A strong entity tag, quotes included; undefined for a directory. */
  readonly etag: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** Stored content, as preconditions and ranges see it. */
export interface Representation extends Current {
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
}

/** What to send for a GET or HEAD. */
export type Selection =
  | { readonly status: 200 | 206; readonly range: ByteRange; readonly isHead?: boolean }
  | { readonly status: 304 | 416; readonly range?: undefined }
  | { readonly status: 412; readonly range?: undefined; readonly refusal: AppError };

/** Evaluates the preconditions of a request and its single range (RFC 9110, 13.2.2 and 14). */
export function select(
  { method, headers }: { readonly method: string; readonly headers: HeaderSource },
  representation: Representation,
): Selection {
  const { size } = representation;
  const refusal = failedPrecondition(headers, representation);
  if (refusal !== undefined) return { status: 412, refusal };
  if (isUnchanged(headers, representation)) return { status: 304 };
  const whole = { status: 200, range: { start: 0, end: size } } as const;
  const requested = headers.get("Range");
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  if (method === "HEAD") return { ...whole, isHead: true };
  if (method !== "GET" || requested === null || !mayRange(headers, representation)) return whole;
  const range = singleRange(requested, size);
  if (range === undefined) return whole;
  return range === "unsatisfiable" ? { status: 416 } : { status: 206, range };
}

/** The content of a record, as preconditions and ranges see it. */
export function representationOf(
  { hash, updatedAt, size }: Pick<ResourceRecord, "hash" | "updatedAt" | "size">,
): Representation {
  return { etag: `"${hash}"`, modifiedAt: updatedAt, size };
}

/**
 * Refuses a change of what a path has if a precondition of the request fails (RFC 9110, 13.2.2).
 *
 * @param found Undefined if there is nothing.
 * @throws {AppError} `ErrPreconditionFailed`.
 */
export function requirePreconditions(
  headers: HeaderSource,
  found: ResourceRecord | undefined,
): void {
  const current = found === undefined
    ? undefined
    : { ...representationOf(found), ...(found.isDir && { etag: undefined }) };
  const refusal = failedPrecondition(headers, current);
  if (refusal !== undefined) throw refusal;
  const unwanted = headers.get("If-None-Match");
  if (unwanted === null || current === undefined || !matchesAny(unwanted, current.etag)) return;
  throw preconditionFailed("If-None-Match", unwanted, current);
}

/** A time in the format of HTTP, truncated to seconds. */
export function httpDate(time: number): string {
  return new Date(time).toUTCString();
}

function isUnchanged(headers: HeaderSource, representation: Representation): boolean {
  const tags = headers.get("If-None-Match");
  if (tags !== null) return matchesAny(tags, representation.etag);
  const since = Date.parse(headers.get("If-Modified-Since") ?? "");
  return wholeSeconds(representation) <= since;
}

/** The preconditions that say which content is expected: `If-Match`, or else `If-Unmodified-Since`. */
function failedPrecondition(
  headers: HeaderSource,
  current: Current | undefined,
): AppError | undefined {
  const tags = headers.get("If-Match");
  if (tags !== null) {
    const { etag } = current ?? {};
    // A weak entity tag matches nothing (RFC 9110, 13.1.1).
    const matches = current !== undefined &&
      (tags.trim() === "*" || tagsOf(tags).includes(`${etag}`));
    return matches ? undefined : preconditionFailed("If-Match", tags, current);
  }
  const date = headers.get("If-Unmodified-Since");
  if (
    date === null || current === undefined ||
    wholeSeconds(current) <= (Date.parse(date) || Infinity)
  ) {
    return undefined;
  }
  return preconditionFailed("If-Unmodified-Since", date, current);
}

function preconditionFailed(
  name: string,
  value: string,
  current: Current | undefined,
): AppError {
  const what = current === undefined
    ? "nothing is there"
    : current.etag === undefined
    ? "a directory is there"
    : `a file with the ETag ${current.etag} of ${httpDate(current.modifiedAt)} is there`;
  return new AppError("ErrPreconditionFailed", `${name} is ${quoted(value)}, but ${what}`);
}

/** Whether a list of entity tags has this one, by weak comparison, or is `*`. */
function matchesAny(tags: string, etag: string | undefined): boolean {
  return tags.trim() === "*" ||
    tagsOf(tags).some((tag) => tag.replace(/^W\//, "") === etag);
}

/** The entity tags of a list. None of ours has a comma. */
function tagsOf(list: string): string[] {
  return list.split(",").map((tag) => tag.trim());
}

/** When it was modified, in milliseconds, as precise as times in HTTP are. */
function wholeSeconds({ modifiedAt }: Current): number {
  return Math.floor(modifiedAt / 1000) * 1000;
}

/** Whether the client's partial copy is current (RFC 9110, 13.1.5). */
function mayRange(headers: HeaderSource, { etag, modifiedAt }: Representation): boolean {
  const condition = headers.get("If-Range")?.trim();
  return condition === undefined || condition === etag || condition === httpDate(modifiedAt);
}

/** Undefined unless the header is a single byte range; other ranges are ignored. */
function singleRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header.trim()) ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return undefined;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
