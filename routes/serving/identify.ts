import type { MiddlewareHandler } from "hono";
import { clientAddress, connectedAddress, type TrustedProxies } from "../request/client_address.ts";
import type { AppEnvironment } from "../request/environment.ts";

/** The longest id of a request that a client or a proxy may choose. */
const MAX_ID_LENGTH = 255;

/**
 * Middleware that gives each request its id, that of the header `X-Request-Id` if it is valid (C 2), and
 * finds out the address of its client.
 */
export function identify(proxies: TrustedProxies): MiddlewareHandler<AppEnvironment> {
  return function identify(c, next) {
    c.set("requestId", givenId(c.req.header("X-Request-Id")) ?? crypto.randomUUID());
    const connected = connectedAddress(c);
    if (connected !== undefined) {
      c.set("address", clientAddress(connected, c.req.raw.headers, proxies));
    }
    return next();
  };
}

function givenId(header: string | undefined): string | undefined {
  if (header === undefined || header === "" || header.length > MAX_ID_LENGTH) return undefined;
  return /[^\w\-=]/.test(header) ? undefined : header;
}
