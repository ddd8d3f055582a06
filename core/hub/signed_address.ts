import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import * as v from "valibot";
import {
  type ContentGrant,
  Grant,
  type MirrorGrant,
  type ObjectGrant,
} from "../../schemas/hub_lfs.ts";
import { type Caller, ownerOf } from "../caller.ts";
import { AppError } from "../errors.ts";

/** How long signed addresses are valid at most, in milliseconds: those for objects, and for content. */
const MAX_OBJECT_MS = 24 * 60 * 60_000;
const MAX_CONTENT_MS = 60 * 60_000;
/** Longer tokens are not ours. */
const MAX_TOKEN_LENGTH = 4096;

const TOKEN = /^([\w-]+)\.([\w-]{43})$/;

/** What the caller and the time add to what an address is for. */
type Added = "user" | "tree" | "jti" | "issued" | "key" | "quota" | "expires";

/** An address to make for an object of Git LFS. */
export type GrantRequest = Omit<ObjectGrant, Added> & { readonly caller: Caller };

/** An address to make for the content of a file. */
export type ContentGrantRequest = Omit<ContentGrant, Added> & { readonly caller: Caller };

/** An address to make for a file of another hub. */
export type MirrorGrantRequest = Omit<MirrorGrant, Added> & { readonly caller: Caller };

/**
 * What a signed address permits: one operation on one object, on behalf of the credential that asked for it,
 * as clients send no credential to it. It does not outlive that credential.
 * See docs/design/hub.md.
 */
export function grantOf({ caller, ...request }: GrantRequest, now: number): ObjectGrant {
  return { ...request, ...grantedTo(caller, now + MAX_OBJECT_MS) };
}

/** What a signed address permits for the content of one file: to read it, for an hour (C 31). */
export function contentGrantOf(
  { caller, ...request }: ContentGrantRequest,
  now: number,
): ContentGrant {
  return { ...request, ...grantedTo(caller, now + MAX_CONTENT_MS) };
}

/** What a signed address permits for a file of another hub: to read it, for an hour (C 28). */
export function mirrorGrantOf(
  { caller, ...request }: MirrorGrantRequest,
  now: number,
): MirrorGrant {
  return { ...request, ...grantedTo(caller, now + MAX_CONTENT_MS) };
}

function grantedTo(caller: Caller, expires: number): Pick<Grant, Added> {
  return {
    user: caller.userId,
    tree: ownerOf(caller),
    jti: caller.jti,
    issued: caller.issuedAt,
    key: caller.keyId,
    quota: caller.quota,
    expires: Math.min(expires, caller.expiresAt),
  };
}

/** The token of a signed address: the grant, and its HMAC-SHA256. */
export function signGrant(key: Uint8Array, grant: Grant): string {
  const text = Buffer.from(JSON.stringify(grant)).toString("base64url");
  return `${text}.${mac(key, text).toString("base64url")}`;
}

/**
 * Verifies the token of a signed address.
 *
 * @throws {AppError} `ErrAuthRequired` when the key has not signed it, or it has expired.
 */
export function verifyGrant(key: Uint8Array, token: string, now: number): Grant {
  const [, text = "", signature = ""] = token.length > MAX_TOKEN_LENGTH
    ? []
    : TOKEN.exec(token) ?? [];
  const expected = mac(key, text);
  const stated = Buffer.from(signature, "base64url");
  // Another text of the same bytes is refused, too.
  const isOurs = stated.length === expected.length && timingSafeEqual(stated, expected) &&
    stated.toString("base64url") === signature;
  if (!isOurs) throw new AppError("ErrAuthRequired", "The signed address is invalid");
  const grant = v.parse(Grant, JSON.parse(Buffer.from(text, "base64url").toString()));
  if (now < grant.expires) return grant;
  throw new AppError("ErrAuthRequired", "The signed address has expired");
}

/** The caller on whose behalf a signed address acts. It may do nothing else. */
export function callerOfGrant(grant: Grant): Caller {
  const { operation, user, tree, jti, issued, key, quota, expires } = grant;
  const privilege = operation === "upload" ? "resources.upload" : "resources.download";
  return {
    userId: user,
    tree,
    jti,
    issuedAt: issued,
    keyId: key,
    quota,
    privileges: new Set([privilege]),
    expiresAt: expires,
  };
}

function mac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
