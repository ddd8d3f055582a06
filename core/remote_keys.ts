import * as jose from "jose";
import { AppError } from "./errors.ts";

/** A request for the keys is given up after this time. */
const FETCH_TIMEOUT_MS = 5000;
/** Keys are fetched again when they are older. */
const MAX_AGE_MS = 10 * 60 * 1000;
/** The least time between two fetches that unknown key ids cause. */
const COOL_DOWN_MS = 30_000;
/** The least time between two fetches while the key server fails. */
const RETRY_MS = 5000;
const MAX_KEY_SET_BYTES = 256 * 1024;
const MAX_KEYS = 100;
/** RFC 7518, 3.3: with a shorter RSA key every verification would fail. */
export const MIN_RSA_BITS = 2048;

/** Options of {@link RemoteKeys}. */
export interface RemoteKeysOptions {
  /** The URL of a JSON Web Key Set (RFC 7517). */
  readonly url: string;
  /** A clock in milliseconds. @default performance.now */
  readonly now?: () => number;
}

/**
 * The public keys of an issuer, fetched from its key server (C 10). While the server fails, the last keys
 * stay in use. Credentials cannot make it fetch more often than the cool-down allows.
 */
export class RemoteKeys {
  readonly #url: URL;
  readonly #now: () => number;
  #keys: jose.JWTVerifyGetKey | undefined;
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #fetching: Promise<void> | undefined;
  #problem: string | undefined;

  constructor({ url, now = () => performance.now() }: RemoteKeysOptions) {
    this.#url = new URL(url);
    this.#now = now;
  }

  /**
   * The key that a credential names in its header.
   *
   * @throws {AppError} `ErrUnavailable` when it is unknown and the key server fails.
   * @throws {jose.errors.JWKSNoMatchingKey} when the issuer has no such key.
   */
  readonly find: jose.JWTVerifyGetKey = async (header, token) => {
    await this.#refresh(MAX_AGE_MS);
    try {
      return await this.#findNow(header, token);
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error;
    }
    await this.#refresh(COOL_DOWN_MS, { wait: true });
    try {
      return await this.#findNow(header, token);
    } catch (error) {
      const isUnknown = error instanceof jose.errors.JWKSNoMatchingKey;
      if (!isUnknown || this.#problem === undefined) throw error;
      throw new AppError(
        "ErrUnavailable",
        "Cannot verify the credential: the keys of its issuer are unavailable",
        { cause: this.#problem },
      );
    }
  };

  /** Why the keys could not be fetched the last time, or undefined. Fetches them if it is time to. */
  async findProblem(): Promise<string | undefined> {
    await this.#refresh(MAX_AGE_MS, { wait: true });
    return this.#problem;
  }

  #findNow: jose.JWTVerifyGetKey = (header, token) => {
    if (this.#keys === undefined) throw new jose.errors.JWKSNoMatchingKey();
    return this.#keys(header, token);
  };

  /**
   * Fetches the keys if they are older than `maxAgeMs`, or if the last fetch failed, except while the
   * cool-down lasts. Does not wait for a server that failed before if there are keys to use meanwhile.
   */
  async #refresh(maxAgeMs: number, { wait = this.#keys === undefined } = {}): Promise<void> {
    const now = this.#now();
    const failed = this.#problem !== undefined;
    const isDue = failed ? now - this.#triedAt >= RETRY_MS : now - this.#fetchedAt >= maxAgeMs;
    if (isDue) this.#fetching ??= this.#fetch().finally(() => this.#fetching = undefined);
    if (wait || !failed) await this.#fetching;
  }

  async #fetch(): Promise<void> {
    this.#triedAt = this.#now();
    try {
      this.#keys = jose.createLocalJWKSet({ keys: await usableKeys(await fetchJson(this.#url)) });
      this.#fetchedAt = this.#now();
      this.#problem = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#problem = `Cannot fetch the keys at ${this.#url.origin}: ${reason}`;
    }
  }
}

/**
 * Fetches a JSON document of at most {@link MAX_KEY_SET_BYTES}.
 *
 * @throws {Error} when the server does not respond with one in time.
 */
async function fetchJson(url: URL): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: "application/json, application/jwk-set+json" },
    redirect: "manual",
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  let text = "";
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_KEY_SET_BYTES) throw new Error(`more than ${MAX_KEY_SET_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text + decoder.decode());
}

/**
 * The keys of a set that can verify credentials. Leaves out others: malformed ones, those for other
 * purposes and those of other types (RFC 7517, 5).
 *
 * @throws {Error} when it is not a key set, has more than {@link MAX_KEYS} keys, or has keys but none
 *   that is usable.
 */
async function usableKeys(set: unknown): Promise<jose.JWK[]> {
  if (!isObject(set) || !Array.isArray(set.keys)) throw new Error("not a JSON Web Key Set");
  const { keys }: { keys?: readonly unknown[] } = set;
  if (keys.length > MAX_KEYS) throw new Error(`more than ${MAX_KEYS} keys`);
  const usable: jose.JWK[] = [];
  for (const key of keys) if (isObject(key) && await isUsable(key)) usable.push(key);
  if (keys.length > 0 && usable.length === 0) throw new Error("no usable key");
  return usable;
}

async function isUsable(key: jose.JWK): Promise<boolean> {
  if (key.use !== undefined && key.use !== "sig") return false;
  try {
    const imported = await jose.importJWK(key, algorithmOf(key));
    if (imported instanceof Uint8Array || imported.type !== "public") return false;
    const { algorithm } = imported;
    return !("modulusLength" in algorithm) || Number(algorithm.modulusLength) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}

/** The algorithm of a key, of those that credentials may use (C 10). */
function algorithmOf({ kty, crv }: jose.JWK): string {
  if (kty === "RSA") return "RS256";
  if (kty === "EC" && crv === "P-256") return "ES256";
  if (kty === "OKP" && crv === "Ed25519") return "EdDSA";
  throw new Error("No credential can be signed with this type of key");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
