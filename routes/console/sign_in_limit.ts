import type { MiddlewareHandler } from "hono";
import { RateLimit } from "../../core/rate_limit.ts";
import { networkOf } from "../request/client_address.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** How many steps of signing in an address may make in a minute. */
const MAX_STEPS_OF_ADDRESS = 60;

/** Middleware that bounds what people who are not signed in may ask (C 22). */
export function limitSignIns(): MiddlewareHandler<AppEnvironment> {
  const ofAddress = new RateLimit<string>(MAX_STEPS_OF_ADDRESS);
  return function limitSignIns(c, next) {
    ofAddress.count(networkOf(c.get("address") ?? ""));
    return next();
  };
}
