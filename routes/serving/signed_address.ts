import type { MiddlewareHandler } from "hono";
import { requirePermission } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { HubService } from "../../core/hub/ports.ts";
import { callerOfGrant, verifyGrant } from "../../core/hub/signed_address.ts";
import type { ContentGrant, Grant, MirrorGrant, ObjectGrant } from "../../schemas/hub_lfs.ts";
import { auditChange } from "./audit.ts";
import type { Access } from "./auth.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { permit } from "../request/permit.ts";

/**
 * Middleware that requires a signed address in place of a credential (C 20). The request acts on behalf of
 * the user who asked for the address, and counts as one of that user (C 22).
 */
export function requireGrant(
  { isOver = () => false, rateLimit }: Access,
  { objects }: Pick<HubService, "objects">,
): MiddlewareHandler<AppEnvironment> {
  return async function requireGrant(c, next) {
    const grant = verifyGrant(await objects.key(), c.req.param("token") ?? "", Date.now());
    const caller = callerOfGrant(grant);
    if (await isOver(caller)) {
      throw new AppError(
        "ErrAuthRequired",
        "The credential of the signed address has been revoked",
      );
    }
    permit(c.req.raw, () => isOver(caller));
    c.set("caller", caller);
    c.set("grant", grant);
    rateLimit?.count(caller.userId);
    const { repository, sha256, size } = grant;
    auditChange(c, { paths: [repository], details: { sha256, size } });
    requirePermission(caller, c.req.method === "PUT" ? "resources.upload" : "resources.download");
    await next();
  };
}

/** What the signed address of an object permits. */
export function grantedObject(c: Granted): ObjectGrant {
  const grant = grantedBy(c);
  if (grant.operation !== "content" && grant.operation !== "mirror") return grant;
  throw new AppError("ErrAuthRequired", "The signed address is for content, not for an object");
}

/** What the signed address of content permits. */
export function grantedContent(c: Granted): ContentGrant {
  const grant = grantedBy(c);
  if (grant.operation === "content") return grant;
  throw new AppError("ErrAuthRequired", "The signed address is for an object, not for content");
}

/** What the signed address of a file of another hub permits. */
export function grantedMirror(c: Granted): MirrorGrant {
  const grant = grantedBy(c);
  if (grant.operation === "mirror") return grant;
  throw new AppError("ErrAuthRequired", "The signed address is not for a file of another hub");
}

interface Granted {
  get(key: "grant"): Grant | undefined;
}

function grantedBy(c: Granted): Grant {
  const grant = c.get("grant");
  if (grant === undefined) throw new Error("It needs a route with a signed address");
  return grant;
}
