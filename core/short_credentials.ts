import { createHash, randomInt } from "node:crypto";
import type { Caller } from "./caller.ts";
import type { IsOver } from "./credential_end.ts";
import type { CredentialStore, RegisteredCredential } from "./credential_store.ts";
import { LEEWAY_S, type VerifyCredential } from "./credentials.ts";
import { AppError } from "./errors.ts";
import type { LastUses } from "./last_uses.ts";
import { VerifiedCredentials } from "./verified_credentials.ts";

/** What clients of the model hub look for: `hf_` and 37 letters and digits (C 31). */
const PREFIX = "hf_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 184 random bits. 37 characters hold 220 bits, which would leave none for a checksum. */
const RANDOM_LENGTH = 31;
/** The other 6 tell a mistyped token, and a text that only looks like one, from a token. */
const CHECK_LENGTH = 6;
const TOKEN = /^hf_([0-9A-Za-z]{31})([0-9A-Za-z]{6})$/;

/** Makes the token of a short credential. The server keeps its SHA-256 alone. */
export function newShortToken(): string {
  let random = "";
  while (random.length < RANDOM_LENGTH) random += ALPHABET.charAt(randomInt(ALPHABET.length));
  return PREFIX + random + checkOf(random);
}

/** Whether a text has the form of the token of a short credential, and its checksum. */
export function isShortToken(text: string): boolean {
  const [, random = "", check] = TOKEN.exec(text) ?? [];
  return check !== undefined && check === checkOf(random);
}

/** The SHA-256 of a token in hex, by which the server finds its credential. */
export function shortTokenSha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function checkOf(random: string): string {
  let rest = createHash("sha256").update(PREFIX + random).digest().readUIntBE(0, 6);
  let check = "";
  while (check.length < CHECK_LENGTH) {
    check += ALPHABET.charAt(rest % ALPHABET.length);
    rest = Math.floor(rest / ALPHABET.length);
  }
  return check;
}

/** What verifies short credentials. */
export interface ShortCredentialParts {
  readonly store: Pick<CredentialStore, "findShort">;
  readonly isOver: IsOver;
  /** The id of the key that credentials are signed with now. */
  readonly keyId: string | undefined;
  readonly uses: Pick<LastUses, "note">;
}

/** Verifies short credentials by the register (C 31), and others by `verify`. */
export function withShortCredentials(
  verify: VerifyCredential,
  parts: ShortCredentialParts,
): VerifyCredential {
  const find = registeredCallers(parts);
  return async (token) => {
    if (!token.startsWith(PREFIX)) return await verify(token);
    const caller = isShortToken(token) ? await find(token) : undefined;
    if (caller !== undefined) return caller;
    throw new AppError("ErrAuthRequired", "The credential is invalid: no such short credential");
  };
}

/**
 * Makes a function that finds the caller of a credential in the register by the SHA-256 of a text, or returns
 * undefined. It throws `ErrAuthRequired` if the credential has expired or is revoked.
 */
export function registeredCallers(
  { store, isOver, keyId, uses }: ShortCredentialParts,
): (token: string) => Promise<Caller | undefined> {
  // What a credential permits never changes. Whether it is over is looked up for each request.
  const verified = new VerifiedCredentials(Infinity);
  const find = async (token: string) => {
    const found = await store.findShort(shortTokenSha256(token));
    if (found === undefined) return undefined;
    const caller = callerOf(found, keyId);
    if (caller.expiresAt <= Date.now()) {
      throw new AppError("ErrAuthRequired", "The credential has expired");
    }
    verified.keep(token, caller);
    return caller;
  };
  return async (token) => {
    const caller = verified.find(token) ?? await find(token);
    if (caller === undefined) return undefined;
    if (await isOver(caller)) {
      throw new AppError("ErrAuthRequired", "The credential has been revoked");
    }
    if (caller.jti !== undefined) uses.note(caller.jti);
    return caller;
  };
}

function callerOf(
  { jti, userId, privileges, trees, quota, mintedAt = 0, expiresAt = 0, isBound, short }:
    RegisteredCredential,
  keyId: string | undefined,
): Caller {
  if (userId === undefined) throw new Error(`The short credential ${jti} has no user`);
  const held = Object.entries(trees).map(([user, names]) =>
    [Number(user), new Set(names)] as const
  );
  return {
    userId,
    privileges: new Set(privileges),
    trees: new Map(held),
    jti,
    issuedAt: mintedAt,
    keyId: short?.keyId,
    isOutdated: short?.keyId !== keyId,
    quota,
    ...(isBound !== undefined && { isBound }),
    expiresAt: expiresAt + LEEWAY_S * 1000,
  };
}
