import type { MiddlewareHandler } from "hono";
import type { AppEnvironment } from "../request/environment.ts";
import { permit } from "../request/permit.ts";
import type { Access } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { type Verified, verifySignature } from "./signature.ts";
import { inBucket, requireOwner, type Target, targetOf } from "./target.ts";

/** What is known of a request when its signature has been verified. */
export interface Authenticated {
  readonly target: Target;
  readonly verified: Verified;
}

const AUTHENTICATED = new WeakMap<object, Authenticated>();

/** Middleware that verifies the signature of a request (C 30). It acts in the tree that is the bucket. */
export function authenticate(
  { rateLimit, people, isOver = () => false }: Access,
  { s3, publicUrl }: Services,
): MiddlewareHandler<AppEnvironment> {
  return async function authenticate(c, next) {
    const target = targetOf(c, publicUrl);
    const verified = await verifySignature({ method: c.req.method, target }, s3.findAccessKey);
    const { caller } = verified;
    AUTHENTICATED.set(c.req.raw, { target, verified });
    permit(c.req.raw, () => isOver(caller));
    c.set("caller", caller);
    rateLimit?.count(caller.userId);
    const { bucket, headers } = target;
    if (bucket !== undefined) {
      const inTree = await inBucket(people, caller, bucket);
      c.set("caller", inTree);
      requireOwner(bucket, inTree, headers.get("x-amz-expected-bucket-owner"));
    }
    await next();
  };
}

/** What {@link authenticate} has found out of a request. */
export function authenticated(request: Request): Authenticated {
  const found = AUTHENTICATED.get(request);
  if (found === undefined) throw new Error("It needs a route that authenticates");
  return found;
}
