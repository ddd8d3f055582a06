import type { Context, MiddlewareHandler } from "hono";
import type { Log } from "../core/log.ts";
import type { Environment } from "./environment.ts";
import type { Delivery } from "./streamed.ts";

/** The requests under way, up to the last byte of their replies. */
export class Underway {
  #count = 0;
  readonly #ended = Promise.withResolvers<void>();
  #ending = false;

  /** Whether {@link end} has been called: nothing new is to be taken in. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Counts a request until its end. */
  add(end: Promise<void>): void {
    this.#count++;
    end.then(() => {
      this.#count--;
      this.#settle();
    });
  }

  /** Settles when the requests that were under way have ended. */
  end(): Promise<void> {
    this.#ending = true;
    this.#settle();
    return this.#ended.promise;
  }

  #settle(): void {
    if (this.#ending && this.#count === 0) this.#ended.resolve();
  }
}

/** Writes the access log, a line a request when its reply has ended, and counts it until then. */
export function observe(log: Log, underway: Underway): MiddlewareHandler<Environment> {
  return async function observe(c, next) {
    const started = performance.now();
    const end = Promise.withResolvers<void>();
    underway.add(end.promise);
    try {
      await next();
    } finally {
      const delivery = c.get("delivery") ?? Promise.resolve(wholeDelivery(c));
      delivery.then((delivery) => {
        logRequest(c, log, { started, delivery });
        end.resolve();
      });
    }
  };
}

function wholeDelivery(c: Context<Environment>): Delivery {
  const bytes = c.req.method === "HEAD" ? 0 : Number(c.res.headers.get("Content-Length") ?? 0);
  return { bytes, complete: true };
}

function logRequest(
  c: Context<Environment>,
  log: Log,
  { started, delivery }: { started: number; delivery: Delivery },
): void {
  const { error } = delivery;
  if (error !== undefined) {
    log.error("Reply broke off", {
      request: c.get("requestId"),
      error: error instanceof Error ? error : new Error(String(error)),
    });
  }
  log.info("request", {
    method: c.req.method,
    path: c.req.path,
    status: c.res.status,
    bytes: delivery.bytes,
    ms: Math.round((performance.now() - started) * 10) / 10,
    user: c.get("caller")?.userId,
    request: c.get("requestId"),
    complete: delivery.complete ? undefined : false,
  });
}
