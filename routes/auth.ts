import type { MiddlewareHandler } from "hono";
import { type Caller, permits, type Privilege } from "../core/caller.ts";
import type { VerifyCredential } from "../core/credentials.ts";
import { AppError } from "../core/errors.ts";
import type { AppEnvironment } from "./environment.ts";

/**
 * Lets a request on whose bearer credential holds the privilege (RS 4, RS 5), and leaves its caller
 * for the handler.
 */
export function requirePrivilege(
  verify: VerifyCredential,
  privilege: Privilege,
): MiddlewareHandler<AppEnvironment> {
  return async function requirePrivilege(c, next) {
    const caller = await verify(bearerToken(c.req.header("Authorization")));
    c.set("caller", caller);
    if (!permits(caller, privilege)) {
      throw new AppError("ErrNotPermitted", `The privilege ${privilege} is needed for this`);
    }
    await next();
  };
}

/** The caller that {@link requirePrivilege} left. */
export function callerOf(c: { get(key: "caller"): Caller | undefined }): Caller {
  const caller = c.get("caller");
  if (caller === undefined) throw new Error("A route without a privilege asked for its caller");
  return caller;
}

/** RFC 6750, part 2.1; the scheme is not case-sensitive (RFC 9110, part 11.1). */
function bearerToken(header: string | undefined): string {
  if (header === undefined) {
    throw new AppError("ErrAuthRequired", "A bearer credential is needed for this");
  }
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header.trim())?.[1];
  if (token === undefined) {
    throw new AppError(
      "ErrAuthRequired",
      "The Authorization header holds no bearer credential",
    );
  }
  return token;
}
