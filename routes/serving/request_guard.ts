import type { Context, MiddlewareHandler } from "hono";
import { quoted } from "../../core/errors.ts";
import { isLargeBody } from "../request/byte_reader.ts";
import { failure } from "../reply/envelope.ts";
import { isS3 } from "../reply/error_forms.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { addHeader } from "../reply/respond.ts";

/**
 * Middleware that refuses requests whose host or body could be read in two ways, and lets a connection end
 * with a large body.
 */
export const guardRequest: MiddlewareHandler<AppEnvironment> = (c, next) => {
  const refusal = refusalOf(c);
  // HTTP/2 has no such header. Its requests have no Host.
  if (isLargeBody(c.req.header("Content-Length")) && c.req.header("Host") !== undefined) {
    addHeader(c, "Connection", "close");
  }
  return refusal === undefined ? next() : Promise.resolve(refusal);
};

function refusalOf(c: Context<AppEnvironment>): Response | undefined {
  const refuse = (status: 400 | 415 | 501, message: string) =>
    failure(c, { kind: "ErrResourcesInvalidRequest", message }, { status });
  const host = c.req.header("Host");
  const address = URL.parse(originOf(c.req.url));
  if (isMissing(host, address)) return refuse(400, "The Host header is missing");
  // The Host header becomes the start of the URL: a slash in it would choose the route.
  if (host !== undefined && !/^[\w.:[\]-]*$/.test(host)) {
    return refuse(400, `Invalid Host header ${quoted(host)}`);
  }
  if (address === null) return refuse(400, "Invalid host: expected a name or an IP address");
  if (!["http:", "https:"].includes(address.protocol)) {
    return refuse(400, `Invalid scheme ${quoted(address.protocol)}: expected http or https`);
  }
  if (address.username !== "" || address.password !== "") {
    return refuse(400, "Invalid host: expected one without a user");
  }
  const encoding = c.req.header("Content-Encoding") ?? "identity";
  // Clients of S3 state how a body is sent there, and what an object is.
  if (!isS3(c.req.path) && !/^\s*identity\s*$/i.test(encoding)) {
    return refuse(415, `Unsupported Content-Encoding ${quoted(encoding)}: expected none`);
  }
  const transfer = c.req.header("Transfer-Encoding") ?? "chunked";
  if (!/^\s*chunked\s*$/i.test(transfer)) {
    return refuse(501, `Unsupported Transfer-Encoding ${quoted(transfer)}: expected chunked`);
  }
  return undefined;
}

/** A URL up to its path. Parsing the rest would take as long as many a handler. */
function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("://") + "://".length);
  return end < 0 ? url : url.slice(0, end);
}

/**
 * RFC 9112, 3.2. The authority of an HTTP/2 request is in the URL alone, where the runtime writes
 * `localhost` if an HTTP/1 request has none. By https, HTTP/2 is usual, and `localhost` is meant.
 */
function isMissing(host: string | undefined, address: URL | null): boolean {
  if (host !== undefined) return host === "";
  return address?.hostname === "localhost" && address.protocol === "http:";
}
