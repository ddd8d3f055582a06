import type { Context } from "hono";
import type { Chunk } from "../../core/content.ts";
import { hasTinyChunks } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** What middleware and handlers add to the headers of a reply. */
export function addHeader(c: Context<AppEnvironment>, name: string, value: string): void {
  c.set("headers", { ...c.get("headers"), [name]: value });
}

/**
 * The headers of a reply: no browser shows it as a page, runs it, embeds it, or stores it in a cache. Others
 * were added.
 */
export function replyHeaders(c: Context<AppEnvironment>): Readonly<Record<string, string>> {
  return {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": c.get("requestId"),
    ...c.get("headers"),
  };
}

/**
 * A reply with the headers of every reply, which `headers` may replace. Hono copies headers several times,
 * which takes longer than the handler of a small request.
 */
export function respond(
  c: Context<AppEnvironment>,
  body: Chunk | ReadableStream<Chunk> | null,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  c.set("bytes", body instanceof Uint8Array ? body.length : 0);
  const all = { ...replyHeaders(c), ...headers };
  if (status < 400 || !hasTinyChunks(c.req.raw)) {
    return new Response(body, { status, headers: all });
  }
  const { "Content-Length": _length, ...others } = all;
  return new Response(brokenOff(), { status, headers: others });
}

/** A body with which the runtime closes the connection, and discards nothing of what arrives. */
function brokenOff(): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      controller.error(new Error("The request had tiny chunks"));
    },
  });
}
