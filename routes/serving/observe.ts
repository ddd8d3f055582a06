import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { asError, type Log } from "../../core/log.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { Metrics } from "./metrics.ts";
import type { Delivery } from "../request/environment.ts";
import type { InFlight } from "./in_flight.ts";

/** Returns the span of the current request, in which the runtime traces it (OpenTelemetry). */
export type ActiveSpan = () => RequestSpan | undefined;

interface RequestSpan {
  setAttribute(name: string, value: string): RequestSpan;
  updateName(name: string): RequestSpan;
}

export interface ObserveOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly inFlight: InFlight;
  /** @default requests are not traced */
  readonly activeSpan?: ActiveSpan | undefined;
}

/** Middleware that counts each request in flight, and measures and logs it when its reply has ended. */
export function observe(options: ObserveOptions): MiddlewareHandler<AppEnvironment> {
  return async function observe(c, next) {
    const started = performance.now();
    options.inFlight.add();
    const span = options.activeSpan?.();
    try {
      await next();
    } finally {
      const route = routeOf(c);
      span?.setAttribute("http.route", route).updateName(`${c.req.method} ${route}`);
      const end = (delivery: Delivery) => {
        record(c, options, { route, delivery, seconds: (performance.now() - started) / 1000 });
        options.inFlight.remove();
      };
      const delivery = c.get("delivery");
      if (delivery === undefined) end(wholeDelivery(c));
      else delivery.then(end);
    }
  };
}

/** The pattern that the path matched, or "none". */
function routeOf(c: Context<AppEnvironment>): string {
  // If no route matched, the last pattern is that of the middleware. What a parameter matches says nothing.
  const route = routePath(c, -1).replaceAll(/\{[^{}]*\}/g, "");
  return route === "/*" ? "none" : route;
}

/**
 * A path as logs and messages may show it: the token of a link, or of a signed address, is as good as a
 * credential. It is looked for where no route expects it, too, as the client or a proxy may have written it
 * there.
 */
export function shownPath(path: string): string {
  if (path.startsWith("/api/")) return path;
  return path.replace(/\/l\/.+/s, "/l/…").replace(/\/hub\/lfs\/.+/s, "/hub/lfs/…")
    .replace(/\/hub\/api\/content\/.+/s, "/hub/api/content/…");
}

function wholeDelivery(c: Context<AppEnvironment>): Delivery {
  return { bytes: c.req.method === "HEAD" ? 0 : c.get("bytes") ?? 0, complete: true };
}

function record(
  c: Context<AppEnvironment>,
  { log, metrics }: ObserveOptions,
  { route, delivery, seconds }: { route: string; delivery: Delivery; seconds: number },
): void {
  const { bytes, complete, error } = delivery;
  const { method } = c.req;
  const { status } = c.res;
  metrics.record({ method, route, status, bytes, seconds });
  if (error !== undefined) {
    log.error("Response failed", {
      request: c.get("requestId"),
      error: asError(error),
    });
  }
  const failure = c.get("failure");
  if (failure?.rule !== undefined) metrics.refused(failure.rule);
  log.info("request", {
    method,
    path: shownPath(c.req.path),
    status,
    bytes,
    ms: Math.round(seconds * 10_000) / 10,
    kind: failure?.kind,
    error: failure?.message,
    address: c.get("address"),
    user: c.get("caller")?.userId,
    tree: c.get("caller")?.tree,
    request: c.get("requestId"),
    complete: complete ? undefined : false,
  });
}
