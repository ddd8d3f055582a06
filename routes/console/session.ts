import type { Context } from "hono";
import type { Caller } from "../../core/caller.ts";
import type { VerifyCredential } from "../../core/credentials.ts";
import { isoTime } from "../../core/entries.ts";
import { type ConsoleSession, SignInRequest } from "../../schemas/console.ts";
import { jsonBody } from "../body.ts";
import { success } from "../envelope.ts";
import type { AppEnvironment } from "../environment.ts";
import type { PublicOrigin } from "../public_origin.ts";
import { addHeader } from "../respond.ts";
import { cookieCredential, credentialCookie, noCookie } from "./cookie.ts";

type Handled = Context<AppEnvironment>;

export interface SessionParts {
  readonly verify: VerifyCredential;
  readonly publicOrigin: PublicOrigin;
}

/** `POST /console/session`: keeps a valid credential in a cookie (C 24). */
export async function signIn(c: Handled, parts: SessionParts): Promise<Response> {
  const { credential } = await jsonBody(c.req.raw, SignInRequest);
  const caller = await parts.verify(credential);
  c.set("caller", caller);
  addHeader(c, "Set-Cookie", credentialCookie(credential, isSecure(c, parts)));
  return success(c, sessionOf(caller));
}

/** `GET /console/session`: who is signed in. */
export async function showSession(c: Handled, { verify }: SessionParts): Promise<Response> {
  const caller = await verify(cookieCredential(c.req.raw.headers));
  c.set("caller", caller);
  return success(c, sessionOf(caller));
}

/** `DELETE /console/session`: removes the cookie. The credential stays valid. */
export function signOut(c: Handled, parts: SessionParts): Response {
  addHeader(c, "Set-Cookie", noCookie(isSecure(c, parts)));
  return success(c, null);
}

function isSecure(c: Handled, { publicOrigin }: SessionParts): boolean {
  return publicOrigin.of(c).startsWith("https:");
}

function sessionOf({ userId, privileges, trees = new Map(), expiresAt }: Caller): ConsoleSession {
  return {
    user_id: userId,
    privileges: [...privileges],
    trees: Object.fromEntries([...trees].map(([user, names]) => [user, [...names]])),
    expires_at: isoTime(expiresAt),
  };
}
