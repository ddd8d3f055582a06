import { createHmac, randomInt } from "node:crypto";
import type { Caller } from "../caller.ts";
import { keyIds, type SigningKey } from "../credentials.ts";
import { registeredCallers, type ShortCredentialParts } from "../short_credentials.ts";

const PREFIX = "SR";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** 90 random bits: ids name credentials, and secrets follow from them. */
const RANDOM_LENGTH = 18;
const ACCESS_KEY_ID = /^SR[A-Z2-7]{18}$/;

/** Makes an access key with the secret of the server. */
export type MakeAccessKey = () => AccessKey;

/** The two texts that clients of S3 have for a credential (C 30). */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
}

/**
 * Makes an access key of a server. Its credential is registered by the SHA-256 of the id, as short credentials
 * are by that of their token. Signatures can be verified only by who has the secret itself, so the server makes
 * it of its own secret and the id anew each time, and nothing that is stored reveals it.
 * See docs/design/s3.md.
 *
 * @param serverSecret What the server signs credentials with.
 */
export function newAccessKey(serverSecret: string): AccessKey {
  let id = PREFIX;
  while (id.length < PREFIX.length + RANDOM_LENGTH) {
    id += ALPHABET.charAt(randomInt(ALPHABET.length));
  }
  return { id, secret: secretOf(serverSecret, id) };
}

function secretOf(serverSecret: string, id: string): string {
  return createHmac("sha256", serverSecret).update(`access key ${id}`).digest("base64url");
}

/** The secret and the caller of an access key. */
export interface AccessKeyHolder {
  readonly secret: string;
  readonly caller: Caller;
}

/**
 * Finds the holder of an access key by its id, or returns undefined.
 *
 * @throws {AppError} `ErrAuthRequired` when the credential has expired or is revoked.
 */
export type FindAccessKey = (id: string) => Promise<AccessKeyHolder | undefined>;

/** What finds access keys: none where the server has no secret of its own to sign with. */
export function accessKeyFinder(key: SigningKey, parts: ShortCredentialParts): FindAccessKey {
  if (key.kind !== "secret") return () => Promise.resolve(undefined);
  const [current, previous] = keyIds(key);
  const find = registeredCallers(parts);
  return async (id) => {
    const caller = ACCESS_KEY_ID.test(id) ? await find(id) : undefined;
    if (caller === undefined) return undefined;
    if (caller.keyId === current) return { caller, secret: secretOf(key.secret, id) };
    if (caller.keyId !== previous || key.previous === undefined) return undefined;
    return { caller, secret: secretOf(key.previous, id) };
  };
}
