import type { ServerEvents } from "./serving/route.ts";
import type { Log } from "../core/log.ts";
import type { App } from "./request/environment.ts";
import type { InFlight } from "./serving/in_flight.ts";

/** How long requests in flight may take once the server is stopping, in milliseconds. */
const GRACE_MS = 60_000;
/** How long to wait before listening again after a failure, in milliseconds. */
const RETRY_MS = 1000;
/** For a year, browsers use the host by TLS alone (RFC 6797). */
const HSTS = "max-age=31536000";

export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** A certificate, with those of its authorities, and its key, as PEM. @default connections are not encrypted */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly events: ServerEvents;
  readonly inFlight: InFlight;
  readonly log: Log;
}

/** A listening server. */
export interface RunningServer {
  readonly address: Deno.NetAddr;
  /**
   * Says that it is not ready, and asks clients to connect anew, for so many milliseconds. A balancer that asks
   * whether servers are ready stops to send it requests, and none is refused.
   */
  drain(ms: number): Promise<void>;
  /**
   * Refuses new requests, ends event streams, waits for other requests up to `graceMs`, and closes.
   * Returns whether all of them finished.
   *
   * @param graceMs In milliseconds. @default 60000
   */
  stop(graceMs?: number): Promise<boolean>;
}

/**
 * Starts listening.
 *
 * @throws {Deno.errors.AddrInUse} when the port is in use, or another error of the runtime.
 */
export function serveApp(app: App, options: ServeOptions): RunningServer {
  const { hostname, tls, events, inFlight, log } = options;
  const abort = new AbortController();
  const listen = (port: number) => {
    const server = Deno.serve(
      { hostname, port, ...tls, signal: abort.signal, onListen() {} },
      async (request, { remoteAddr }) => {
        const response = await app.fetch(request, { remoteAddr });
        if (tls !== undefined) response.headers.set("Strict-Transport-Security", HSTS);
        // HTTP/2 has no such header; its connections end when the server does.
        else if (inFlight.draining) response.headers.set("Connection", "close");
        return withoutLength(request, response);
      },
    );
    server.finished.catch((error) => {
      // For example, the process has too many open files. Connections end, and accepting works again.
      log.error("Cannot accept connections", { error });
      setTimeout(listenAgain, RETRY_MS);
    });
    return server;
  };
  const listenAgain = () => {
    if (inFlight.ending) return;
    try {
      server = listen(address.port);
    } catch (error) {
      log.error("Cannot listen", { error: error instanceof Error ? error : undefined });
      setTimeout(listenAgain, RETRY_MS);
    }
  };
  let server = listen(options.port);
  const address = server.addr;
  return {
    address,
    async drain(ms) {
      inFlight.drain();
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
    async stop(graceMs = GRACE_MS) {
      const late = Promise.withResolvers<boolean>();
      const grace = setTimeout(() => late.resolve(false), graceMs);
      events.close();
      const allFinished = await Promise.race([inFlight.end().then(() => true), late.promise]);
      // Deno's shutdown breaks off uploads (denoland/deno#36809), so it comes last. Then nothing can be aborted.
      if (allFinished) await Promise.race([server.shutdown(), late.promise]);
      else abort.abort();
      clearTimeout(grace);
      return allFinished;
    },
  };
}

/**
 * Keeps the runtime from adding `Content-Length: 0` to the response to a HEAD, which would claim that
 * the content is empty (RFC 9110, 8.6).
 */
function withoutLength({ method }: Request, response: Response): Response {
  if (method !== "HEAD" || response.headers.has("Content-Length")) return response;
  // It may have no body, even an empty one, and gets no length.
  if (response.status === 304) return response;
  const empty = new ReadableStream({ start: (controller) => controller.close() });
  return new Response(empty, response);
}
