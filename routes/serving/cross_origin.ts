import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import { isDav } from "../reply/error_forms.ts";
import { replyHeaders } from "../reply/respond.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** Lets scripts of other web origins use the API (CORS, WHATWG Fetch 3.2). */
export function crossOrigin(
  origins: readonly string[],
): [MiddlewareHandler<AppEnvironment>, MiddlewareHandler<AppEnvironment>] {
  return [preflightHeaders, onlyOfApi(cors(policyFor(origins)))];
}

/** Pages of other origins use the API, and never the console (C 24), nor WebDAV, which has its own OPTIONS. */
function onlyOfApi(policy: MiddlewareHandler<AppEnvironment>): MiddlewareHandler<AppEnvironment> {
  return (c, next) => {
    const { path } = c.req;
    return path.startsWith(`${CONSOLE_PATH}/`) || isDav(path) ? next() : policy(c, next);
  };
}

/** Middleware that gives the reply to a preflight request, which `cors` makes, the headers of every reply. */
const preflightHeaders: MiddlewareHandler<AppEnvironment> = (c, next) => {
  if (c.req.method === "OPTIONS") {
    for (const [name, value] of Object.entries(replyHeaders(c))) c.header(name, value);
  }
  return next();
};

function policyFor(origins: readonly string[]) {
  return {
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "Authorization",
      "Content-Digest",
      "Content-MD5",
      "Content-Type",
      "If-Match",
      "If-Modified-Since",
      "If-None-Match",
      "If-Range",
      "If-Unmodified-Since",
      "Last-Event-ID",
      "Range",
      "Repr-Digest",
      "Tus-Resumable",
      "Upload-Checksum",
      "Upload-Length",
      "Upload-Metadata",
      "Upload-Offset",
      "X-HTTP-Method-Override",
      "X-Request-Id",
      "X-Requested-With",
    ],
    exposeHeaders: [
      "Accept-Ranges",
      "Content-Disposition",
      "Content-Range",
      "ETag",
      "Last-Modified",
      "Location",
      "Retry-After",
      "Tus-Checksum-Algorithm",
      "Tus-Extension",
      "Tus-Max-Size",
      "Tus-Resumable",
      "Tus-Version",
      "Upload-Expires",
      "Upload-Length",
      "Upload-Metadata",
      "Upload-Offset",
      "X-Request-Id",
      "X-Version",
    ],
    maxAge: 600,
  };
}
