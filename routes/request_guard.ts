import type { Context, MiddlewareHandler } from "hono";
import { quoted } from "../core/errors.ts";
import { failure } from "./envelope.ts";
import type { AppEnvironment } from "./environment.ts";

/** Headers of every reply: no browser shows it as a page, runs it, embeds it, or stores it in a cache. */
const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Middleware that sets the headers of every reply, which a handler may replace, and refuses requests whose
 * host or body could be read in two ways.
 */
export const guardRequest: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  // Set before there is a response: a response would be copied for it.
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  return refusalOf(c) ?? await next();
};

function refusalOf(c: Context<AppEnvironment>): Response | undefined {
  const refuse = (status: 400 | 415 | 501, message: string) =>
    failure(c, { kind: "ErrResourcesInvalidRequest", message }, { status });
  if (isHostMissing(c)) return refuse(400, "The Host header is missing");
  // The Host header becomes the start of the URL: a slash in it would choose the route.
  const host = c.req.header("Host") ?? "";
  if (!/^[\w.:[\]-]*$/.test(host)) return refuse(400, `Invalid Host header ${quoted(host)}`);
  const encoding = c.req.header("Content-Encoding") ?? "identity";
  if (!/^\s*identity\s*$/i.test(encoding)) {
    return refuse(415, `Unsupported Content-Encoding ${quoted(encoding)}: expected none`);
  }
  const transfer = c.req.header("Transfer-Encoding") ?? "chunked";
  if (!/^\s*chunked\s*$/i.test(transfer)) {
    return refuse(501, `Unsupported Transfer-Encoding ${quoted(transfer)}: expected chunked`);
  }
  return undefined;
}

/**
 * RFC 9112, 3.2. The authority of an HTTP/2 request is in the URL alone, where the runtime writes
 * `localhost` if an HTTP/1 request has none.
 */
function isHostMissing(c: Context<AppEnvironment>): boolean {
  const host = c.req.header("Host");
  return host === undefined ? new URL(c.req.url).hostname === "localhost" : host === "";
}
