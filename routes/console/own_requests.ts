import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../core/errors.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { PublicUrl } from "../serving/public_url.ts";

/**
 * The header of every request of the console (C 24). A page of another origin can send it only if a preflight
 * request allows that, which none does here.
 */
export const CONSOLE_HEADER = "X-Strongroom-Console";

/**
 * Middleware that refuses requests of pages other than the console, which browsers may send with its
 * cookie: pages of other ports of the host, and of neighbor domains.
 *
 * @param isNavigation Whether browsers make the request without the header. It must change nothing.
 */
export function requireConsole(
  publicUrl: PublicUrl,
  isNavigation: boolean,
): MiddlewareHandler<AppEnvironment> {
  return async function requireConsole(c, next) {
    const reason = foreignness(c, publicUrl, isNavigation);
    if (reason !== undefined) {
      throw new AppError("ErrNotPermitted", `Not a request of the console: ${reason}`);
    }
    await next();
  };
}

/** Why a request is not one of the console, if it is not. */
function foreignness(
  c: Context<AppEnvironment>,
  publicUrl: PublicUrl,
  isNavigation: boolean,
): string | undefined {
  const { headers } = c.req.raw;
  // Pages cannot set this header. Browsers send it to https and to this host only.
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null && site !== "same-origin") return `Sec-Fetch-Site is ${site}`;
  const origin = headers.get("Origin");
  if (site === null && origin !== null && origin !== publicUrl.originFor(c)) {
    return "another Origin; STRONGROOM_PUBLIC_URL names the one of the server";
  }
  if (!isNavigation && headers.get(CONSOLE_HEADER) === null) {
    return `the header ${CONSOLE_HEADER} is missing`;
  }
  return undefined;
}
