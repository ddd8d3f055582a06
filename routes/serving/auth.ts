import { Buffer } from "node:buffer";
import type { Context, MiddlewareHandler } from "hono";
import {
  type Caller,
  type Privilege,
  requiredPrivileges,
  requirePermission,
} from "../../core/caller.ts";
import type { IsOver } from "../../core/credential_end.ts";
import type { VerifyCredential } from "../../core/credentials.ts";
import { AppError } from "../../core/errors.ts";
import { inNamedTree } from "../../core/people/named.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import type { RateLimit } from "../../core/rate_limit.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { permit } from "../request/permit.ts";
import type { PublicUrl } from "./public_url.ts";
import { treeOf } from "../request/query.ts";

/** What decides who may make requests. */
export interface Access {
  readonly verify: VerifyCredential;
  /** Whether a credential is over, and with it what it has signed. @default none is */
  readonly isOver?: IsOver | undefined;
  /** What finds the people whose trees requests name. */
  readonly people: PeopleStore;
  /** @default unlimited */
  readonly rateLimit?: RateLimit | undefined;
  /**
   * Who makes a request.
   *
   * @throws {AppError} `ErrAuthRequired` when it does not say so.
   * @default the holder of the credential in the header `Authorization`
   */
  readonly holderOf?: ((c: Context<AppEnvironment>) => Promise<Caller>) | undefined;
}

/** What a route needs of its caller. */
export interface Requirement {
  /** With `any`, the handler requires one. */
  readonly privilege: Privilege | "any";
  /** What names the tree that a request acts in: the parameter `tree`, the address, or nothing. */
  readonly tree: boolean | "address";
  /** Whether the credential may be the password of Basic authentication. */
  readonly basic: boolean;
}

/**
 * Middleware that requires a credential with the privilege and those needed with it (RS 4,
 * RS 5), in the tree that the request names (C 19), and limits the requests of each caller (C 22).
 * Handlers get the caller from {@link callerOf}.
 */
export function requirePrivilege(
  access: Access,
  { privilege, tree: named, basic }: Requirement,
): MiddlewareHandler<AppEnvironment> {
  const credentialOf = basic ? passwordOrToken : bearerToken;
  const { verify, isOver = () => false, people, rateLimit } = access;
  const { holderOf = (c) => verify(credentialOf(c)) } = access;
  return async function requirePrivilege(c, next) {
    const holder = await holderOf(c);
    c.set("caller", holder);
    const session = c.get("session");
    permit(c.req.raw, async () => await isOver(holder) || await session?.hasEnded() === true);
    rateLimit?.count(holder.userId);
    const tree = named === "address"
      ? c.req.param("tree") ?? String(holder.userId)
      : named
      ? treeOf(c.req.url)
      : undefined;
    const caller = tree === undefined ? holder : await inNamedTree(people, holder, tree);
    c.set("caller", caller);
    const needed = privilege === "any" ? [] : requiredPrivileges(privilege);
    for (const required of needed) requirePermission(caller, required);
    await next();
  };
}

/**
 * Middleware that refuses to ask for a password that others could read (C 30).
 *
 * @throws {AppError} `ErrNotPermitted` when a request with none, or a password, has come without TLS, and not from
 *   this host.
 */
export function requirePrivate(publicUrl: PublicUrl): MiddlewareHandler<AppEnvironment> {
  return function requirePrivate(c, next) {
    const isBearer = /^bearer\b/i.test(c.req.header("Authorization")?.trim() ?? "");
    if (isBearer || publicUrl.isPrivate(c)) return next();
    throw new AppError(
      "ErrNotPermitted",
      "A password without TLS is taken from the host of the server alone: use https",
    );
  };
}

/** The caller of a request that passed {@link requirePrivilege}. */
export function callerOf(c: { get(key: "caller"): Caller | undefined }): Caller {
  const caller = c.get("caller");
  if (caller === undefined) throw new Error("callerOf() needs a route with a privilege");
  return caller;
}

/** RFC 6750, 2.1. The scheme is case-insensitive (RFC 9110, 11.1). */
function bearerToken({ req }: Context<AppEnvironment>): string {
  const header = req.header("Authorization");
  if (header === undefined) {
    throw new AppError("ErrAuthRequired", "Bearer credential required");
  }
  const token = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header.trim())?.[1];
  if (token === undefined) {
    throw new AppError(
      "ErrAuthRequired",
      "The Authorization header is not a bearer credential",
    );
  }
  return token;
}

/** The password of Basic authentication, if that is a bearer token (RFC 7617), or else {@link bearerToken}. */
function passwordOrToken(c: Context<AppEnvironment>): string {
  const header = c.req.header("Authorization") ?? "";
  const encoded = /^basic +([A-Za-z0-9+/]+=*)$/i.exec(header.trim())?.[1] ?? "";
  const text = Buffer.from(encoded, "base64").toString();
  return /^[^:]*:([A-Za-z0-9\-._~+/]+=*)$/.exec(text)?.[1] ?? bearerToken(c);
}
