import type { ByteRange } from "../core/ports.ts";

/** What is to be sent, and what is known of it. */
export interface Representation {
  /** A strong entity tag, in its quotes. */
  readonly etag: string;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  /** Bytes. */
  readonly size: number;
}

/** What a GET or HEAD is answered with. */
export type Selection =
  | { readonly status: 200 | 206; readonly range: ByteRange }
  | { readonly status: 304 | 416 };

/** Applies the preconditions of a request and its range, if it is a single one (RFC 9110, 13.2.2 and 14). */
export function select(
  { method, headers }: Pick<Request, "method" | "headers">,
  representation: Representation,
): Selection {
  const { size } = representation;
  if (isUnchanged(headers, representation)) return { status: 304 };
  const whole: Selection = { status: 200, range: { start: 0, end: size } };
  const asked = headers.get("Range");
  // Ranges are defined for GET alone (RFC 9110, 14.2).
  if (method !== "GET" || asked === null || !mayRange(headers, representation)) return whole;
  const range = singleRange(asked, size);
  if (range === undefined) return whole;
  return range === "unsatisfiable" ? { status: 416 } : { status: 206, range };
}

/** The time as HTTP writes it, in whole seconds. */
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

/** Whether what the client has a part of is still what is stored (RFC 9110, 13.1.5). */
function mayRange(headers: Headers, { etag, modifiedAt }: Representation): boolean {
  const condition = headers.get("If-Range")?.trim();
  return condition === undefined || condition === etag || condition === httpDate(modifiedAt);
}

/** Undefined where the header is no single range of bytes, and so is ignored. */
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
