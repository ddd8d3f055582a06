import type { ServerEvents } from "./events.ts";
import type { Log } from "../core/log.ts";
import type { App } from "./environment.ts";
import type { InFlight } from "./in_flight.ts";

/** How long uploads and downloads may go on once the server is to stop, in milliseconds. */
const GRACE_MS = 10_000;
/** How long the server waits before it listens again, where it could not go on, in milliseconds. */
const RETRY_MS = 1000;

export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly events: ServerEvents;
  readonly inFlight: InFlight;
  readonly log: Log;
  /** @default 10000 */
  readonly graceMs?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly address: Deno.NetAddr;
  /**
   * Takes nothing new in, ends the event streams, lets other requests finish for the time of grace,
   * and closes. True where all of them finished.
   */
  stop(): Promise<boolean>;
}

/** Starts to listen. */
export function serveApp(app: App, options: ServeOptions): RunningServer {
  const { hostname, events, inFlight, log, graceMs = GRACE_MS } = options;
  const abort = new AbortController();
  const listen = (port: number) => {
    const server = Deno.serve(
      { hostname, port, signal: abort.signal, onListen() {} },
      async (request) => ofUnknownLength(request, await app.fetch(request)),
    );
    server.finished.catch((error) => {
      // Such as more connections than files may be open: they come to an end, and others are new.
      log.error("Cannot take in connections for the moment", { error });
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
    async stop() {
      const late = Promise.withResolvers<boolean>();
      const grace = setTimeout(() => late.resolve(false), graceMs);
      events.close();
      // Deno's own shutdown would break the uploads off (denoland/deno#36809), so it comes last.
      const finished = inFlight.end().then(() => server.shutdown()).then(() => true);
      const allFinished = await Promise.race([finished, late.promise]);
      clearTimeout(grace);
      if (!allFinished) abort.abort();
      return allFinished;
    },
  };
}

/**
 * The response to a HEAD without the length that the runtime would give it: that of the body which it
 * does not have, 0 (RFC 9110, 8.6).
 */
function ofUnknownLength({ method }: Request, response: Response): Response {
  if (method !== "HEAD" || response.headers.has("Content-Length")) return response;
  const empty = new ReadableStream({ start: (controller) => controller.close() });
  return new Response(empty, response);
}
