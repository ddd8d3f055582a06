import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { asError, type Log } from "../core/log.ts";
import type { AppEnvironment } from "./environment.ts";
import type { Metrics } from "./metrics.ts";
import type { Delivery } from "./environment.ts";
import type { InFlight } from "./in_flight.ts";

export interface ObserveOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly inFlight: InFlight;
}

/** Middleware that counts each request in flight, and measures and logs it when its reply has ended. */
export function observe(options: ObserveOptions): MiddlewareHandler<AppEnvironment> {
  return async function observe(c, next) {
    const started = performance.now();
    const end = Promise.withResolvers<void>();
    options.inFlight.add(end.promise);
    try {
      await next();
    } finally {
      const delivery = c.get("delivery") ?? Promise.resolve(wholeDelivery(c));
      delivery.then((delivery) => {
        record(c, options, { delivery, seconds: (performance.now() - started) / 1000 });
        end.resolve();
      });
    }
  };
}

function wholeDelivery(c: Context<AppEnvironment>): Delivery {
  const bytes = c.req.method === "HEAD" ? 0 : Number(c.res.headers.get("Content-Length") ?? 0);
  return { bytes, complete: true };
}

function record(
  c: Context<AppEnvironment>,
  { log, metrics }: ObserveOptions,
  { delivery, seconds }: { delivery: Delivery; seconds: number },
): void {
  const { bytes, complete, error } = delivery;
  const { method, path } = c.req;
  const { status } = c.res;
  // If no route matched, the last pattern is that of the middleware. What a parameter matches says nothing.
  const route = routePath(c, -1).replace(/\{[^{}]*\}$/, "");
  metrics.record({ method, route: route === "/*" ? "none" : route, status, bytes, seconds });
  if (error !== undefined) {
    log.error("Response failed", {
      request: c.get("requestId"),
      error: asError(error),
    });
  }
  const failure = c.get("failure");
  log.info("request", {
    method,
    path,
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
