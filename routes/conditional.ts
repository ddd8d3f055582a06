import type { ByteRange } from "../core/blob_store.ts";

/** Stored content, as preconditions and ranges see it. */
export interface Representation {
  /** A strong entity tag, quotes included. */
  readonly etag: string;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  /** Bytes. */
  readonly size: number;
}

/** What to send for a GET or HEAD. */
export type Selection =
  | { readonly status: 200 | 206; readonly range: ByteRange }
  | { readonly status: 304 | 416; readonly range?: undefined };

/** Evaluates the preconditions of a request and its single range (RFC 9110, 13.2.2 and 14). */
export function select(
  { method, headers }: Pick<Request, "method" | "headers">,
  representation: Representation,
): Selection {
  const { size } = representation;
  if (isUnchanged(headers, representation)) return { status: 304 };
  const whole: Selection = { status: 200, range: { start: 0, end: size } };
  const requested = headers.get("Range");
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  if (method !== "GET" || requested === null || !mayRange(headers, representation)) return whole;
  const range = singleRange(requested, size);
  if (range === undefined) return whole;
  return range === "unsatisfiable" ? { status: 416 } : { status: 206, range };
}

/** A time in the format of HTTP, truncated to seconds. */
export function httpDate(time: number): string {
  return new Date(time).toUTCString();
}

function isUnchanged(headers: Headers, { etag, modifiedAt }: Representation): boolean {
  const tags = headers.get("If-None-Match");
  if (tags !== null) {
    return tags.trim() === "*" ||
      tags.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(headers.get("If-Modified-Since") ?? "");
  return Math.floor(modifiedAt / 1000) * 1000 <= since;
}

/** Whether the client's partial copy is current (RFC 9110, 13.1.5). */
function mayRange(headers: Headers, { etag, modifiedAt }: Representation): boolean {
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
