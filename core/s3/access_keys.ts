import { Buffer } from "node:buffer";
import { createHash, createHmac, type Hash, randomInt } from "node:crypto";
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

/** The caller of an access key, and what verifies its signatures. */
export interface AccessKeyHolder {
  readonly caller: Caller;
  /** What signs as it does on a day, such as `20260131`, for a region. */
  readonly signer: (day: string, region: string) => Signer;
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
  const signers = new Signers();
  return async (id) => {
    const caller = ACCESS_KEY_ID.test(id) ? await find(id) : undefined;
    if (caller === undefined) return undefined;
    const secret = caller.keyId === current
      ? key.secret
      : caller.keyId === previous
      ? key.previous
      : undefined;
    if (secret === undefined) return undefined;
    return { caller, signer: (...scope) => signers.of({ secret, id }, ...scope) };
  };
}

/** The most signers that are kept. */
const MAX_SIGNERS = 1000;

/** A signer, and what it signs for. */
interface KeptSigner {
  readonly secret: string;
  readonly day: string;
  readonly region: string;
  readonly signer: Signer;
}

/** Keeps the last signer of each access key: making one takes longer than all else of a small request. */
class Signers {
  /** By the ids of access keys, oldest first. */
  readonly #kept = new Map<string, KeptSigner>();

  /** @param secret That of the server. */
  of(
    { secret, id }: { readonly secret: string; readonly id: string },
    day: string,
    region: string,
  ): Signer {
    const known = this.#kept.get(id);
    if (known?.day === day && known.region === region && known.secret === secret) {
      return known.signer;
    }
    let key: Uint8Array = Buffer.from(`AWS4${secretOf(secret, id)}`);
    for (const part of [day, region, "s3", "aws4_request"]) {
      key = createHmac("sha256", key).update(part).digest();
    }
    const signer = new Signer(key);
    this.#kept.delete(id);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_SIGNERS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(id, { secret, day, region, signer });
    return signer;
  }
}

/** The bytes of a block of SHA-256. */
const BLOCK_BYTES = 64;
/** The digest of a text, while its HMAC is computed. */
const DIGEST = new Uint8Array(32);

/**
 * Signs texts by HMAC-SHA256. `createHmac` would take twice as long: it begins anew for each text, and makes buffers,
 * which are dear.
 */
export class Signer {
  /** Hashes that have begun as RFC 2104 has them begin. */
  readonly #inner: Hash;
  readonly #outer: Hash;

  /** @param key At most a block long. */
  constructor(key: Uint8Array) {
    const begun = (padding: number) => {
      const block = new Uint8Array(BLOCK_BYTES);
      block.set(key);
      return createHash("sha256").update(block.map((byte) => byte ^ padding));
    };
    this.#inner = begun(0x36);
    this.#outer = begun(0x5c);
  }

  /** The signature of a text, in lower-case hex. */
  sign(text: string): string {
    DIGEST.setFromHex(this.#inner.copy().update(text).digest("hex"));
    return this.#outer.copy().update(DIGEST).digest("hex");
  }
}
