import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Caller } from "./caller.ts";
import type { Chunk } from "./content.ts";

/** A session of the console (C 24). Times are in milliseconds since the Unix epoch. */
export interface StoredSession {
  /** The SHA-256 of its key in hex. Nothing else of the key is kept. */
  readonly id: string;
  readonly userId: number;
  /** The credential, encrypted with the key. */
  readonly sealed: Chunk;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The sessions of all servers that share a database. */
export interface ConsoleSessionStore {
  /** Adds a session. Forgets those that have expired, and of the same user all but the `max` newest. */
  add(session: StoredSession, max: number): Promise<void>;
  /** The encrypted credential of a session, unless it has ended. */
  find(id: string, now: number): Promise<Chunk | undefined>;
  remove(id: string): Promise<void>;
}

/** An open session, and the credential that it was opened with. */
export interface OpenSession {
  /** What pages know the session by. It opens nothing. */
  readonly name: string;
  readonly credential: string;
  /** Whether the session has ended since. */
  readonly hasEnded: () => Promise<boolean>;
}

/** 256 random bits. */
const KEY_BYTES = 32;
const KEY = /^[\w-]{43}$/;
/** The most sessions of a user. The oldest one ends for a further one. */
const MAX_SESSIONS = 100;
/** How long a session is kept after its credential, which then says itself why it is over, in milliseconds. */
const KEPT_MS = 86_400_000;
/** Each key encrypts one credential, so that the nonce may be the same. */
const NONCE = new Uint8Array(12);
const TAG_BYTES = 16;

/**
 * The sessions of the console. A browser keeps a random key, and the database a credential that only this key
 * decrypts: neither has the credential, and with its row the session is over everywhere (C 31).
 */
export class ConsoleSessions {
  readonly #store: ConsoleSessionStore;

  constructor(store: ConsoleSessionStore) {
    this.#store = store;
  }

  /** Opens a session for a credential that has been verified. Returns its key and its name. */
  async open(
    credential: string,
    { userId, expiresAt }: Pick<Caller, "userId" | "expiresAt">,
  ): Promise<{ readonly key: string; readonly name: string }> {
    const key = randomBytes(KEY_BYTES).toString("base64url");
    const id = idOf(key);
    const sealed = seal(credential, key);
    const end = expiresAt + KEPT_MS;
    const session = { id, userId, sealed, createdAt: Date.now(), expiresAt: end };
    await this.#store.add(session, MAX_SESSIONS);
    return { key, name: nameOf(id) };
  }

  /** The session with a key, unless it has ended. */
  async find(key: string): Promise<OpenSession | undefined> {
    if (!KEY.test(key)) return undefined;
    const id = idOf(key);
    const find = () => this.#store.find(id, Date.now());
    const sealed = await find();
    if (sealed === undefined) return undefined;
    const hasEnded = async () => await find() === undefined;
    return { name: nameOf(id), credential: unseal(sealed, key), hasEnded };
  }

  /** Ends the session with a key, at all servers. */
  async end(key: string): Promise<void> {
    if (KEY.test(key)) await this.#store.remove(idOf(key));
  }
}

function idOf(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function nameOf(id: string): string {
  return id.slice(0, 16);
}

/** The key of the cipher: the id of the session must not tell it. */
function cipherKey(key: string): Uint8Array {
  return createHash("sha256").update(`seal ${key}`).digest();
}

function seal(credential: string, key: string): Chunk {
  const cipher = createCipheriv("aes-256-gcm", cipherKey(key), NONCE);
  const parts = [cipher.update(credential, "utf8"), cipher.final(), cipher.getAuthTag()];
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** @throws {Error} when it was not sealed with this key: the row is damaged. */
function unseal(sealed: Chunk, key: string): string {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv("aes-256-gcm", cipherKey(key), NONCE);
  decipher.setAuthTag(sealed.subarray(end));
  return decipher.update(sealed.subarray(0, end), undefined, "utf8") + decipher.final("utf8");
}
