import type { MiddlewareHandler } from "hono";
import { RateLimit } from "../../core/rate_limit.ts";
import { networkOf } from "../request/client_address.ts";
import type { AppEnvironment } from "../request/environment.ts";

/**
 * Middleware that bounds what may be asked by those who are not signed in (C 22).
 *
 * @param perMinute How often an address may ask in a minute.
 */
export function limitSignIns(perMinute: number): MiddlewareHandler<AppEnvironment> {
  const ofAddress = new RateLimit<string>(perMinute);
  return function limitSignIns(c, next) {
    ofAddress.count(networkOf(c.get("address") ?? ""));
    return next();
  };
}
