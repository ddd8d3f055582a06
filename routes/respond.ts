import type { Context } from "hono";
import type { Chunk } from "../core/content.ts";
import type { AppEnvironment } from "./environment.ts";

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
  return new Response(body, { status, headers: { ...replyHeaders(c), ...headers } });
}
