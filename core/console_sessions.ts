import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Caller } from "./caller.ts";
import type { Chunk } from "./content.ts";
import type { LastUses } from "./last_uses.ts";

/** How a person has signed in. */
export type SignInMeans = "credential" | "passkey" | "provider";

/** A session of the console (C 24, C 27). Times are in milliseconds since the Unix epoch. */
export interface ListedSession {
  /** The SHA-256 of its key in hex. Nothing else of the key is kept. */
  readonly id: string;
  readonly userId: number;
  readonly means: SignInMeans;
  /** The key of the server that it stands or falls with. @default that of its credential, or none */
  readonly keyId: string | undefined;
  /** What the provider calls its own session. @default nothing */
  readonly providerSession: string | undefined;
  /** What the browser called itself. */
  readonly browser: string | undefined;
  /** The address of the browser when the session began. */
  readonly address: string | undefined;
  readonly createdAt: number;
  /** When it was used last, as far as servers have noted it. */
  readonly usedAt: number;
  readonly expiresAt: number;
}

/** A session that has been ended. */
export interface EndedSession extends Pick<ListedSession, "userId" | "means"> {
  /** What pages knew it by. */
  readonly name: string;
}

export interface StoredSession extends ListedSession {
  /** The credential, encrypted with the key. @default the person has signed in without one */
  readonly sealed: Chunk | undefined;
}

/** Sessions that were begun by the provider. */
export interface BegunByProvider {
  /** Whose. @default anybody's */
  readonly userId?: number | undefined;
  /** By which session of the provider. @default any */
  readonly providerSession?: string | undefined;
}

/** The sessions of all servers that share a database. */
export interface ConsoleSessionStore {
  /** Adds a session. Forgets those that have expired, and of the same user all but the `max` newest. */
  add(session: StoredSession, max: number): Promise<void>;
  /** A session, unless it was removed or has expired. */
  find(id: string, now: number): Promise<StoredSession | undefined>;
  /** The sessions of a user that have not expired, newest first. */
  list(userId: number, now: number): Promise<ListedSession[]>;
  remove(id: string): Promise<void>;
  /** Removes what was begun by the provider. Returns whose each session was. */
  removeOfProvider(begun: BegunByProvider): Promise<readonly number[]>;
  /** Notes when sessions were used last, by id. */
  noteUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A person who has signed in without a credential. */
export interface SignedInPerson {
  readonly userId: number;
  /** When the session began, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** When it ends at the latest, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** The key of the server that it stands or falls with. */
  readonly keyId: string | undefined;
}

/** An open session. */
export interface OpenSession {
  /** What pages know the session by. It opens nothing. */
  readonly name: string;
  /** Whose it is: of the credential that it was opened with, or of a person. */
  readonly holder: string | SignedInPerson;
  /** Whether the session has ended since. */
  readonly hasEnded: () => Promise<boolean>;
}

/** From where a session is opened, as its list shows it. */
export type SessionOrigin = Pick<ListedSession, "browser" | "address">;

/** Who opens a session without a credential. */
export interface PersonSignIn extends Pick<ListedSession, "userId" | "keyId"> {
  readonly means: Exclude<SignInMeans, "credential">;
  readonly providerSession?: string | undefined;
}

/** The key of a new session, which only the browser keeps, and its name. */
export interface NewSession {
  readonly key: string;
  readonly name: string;
}

/** 256 random bits. */
const KEY_BYTES = 32;
const KEY = /^[\w-]{43}$/;
/** The most sessions of a user. The oldest one ends for a further one. */
const MAX_SESSIONS = 100;
/** How long a session is kept after its credential, which then says itself why it is over, in milliseconds. */
const KEPT_MS = 86_400_000;
/** How long a session of a person lasts (C 27), and how long while nobody uses it, in milliseconds. */
const MAX_SESSION_MS = 12 * 60 * 60_000;
const MAX_IDLE_MS = 2 * 60 * 60_000;
/** As much as is kept of what a browser calls itself. */
const MAX_BROWSER_LENGTH = 300;
/** Each key encrypts one credential, so that the nonce may be the same. */
const NONCE = new Uint8Array(12);
const TAG_BYTES = 16;

/**
 * The sessions of the console. A browser keeps a random key, and the database its SHA-256: with its row the
 * session is over everywhere (C 31). The row of one that was opened with a credential has that, encrypted with
 * the key, so that neither side has the credential. One of a person has none, ends after {@link MAX_SESSION_MS},
 * and before that when nobody has used it for {@link MAX_IDLE_MS}.
 */
export class ConsoleSessions {
  readonly #store: ConsoleSessionStore;
  readonly #uses: Pick<LastUses, "note">;

  /** @param uses Notes when sessions are used. */
  constructor(store: ConsoleSessionStore, uses: Pick<LastUses, "note">) {
    this.#store = store;
    this.#uses = uses;
  }

  /** Opens a session for a credential that has been verified. */
  open(
    credential: string,
    { userId, expiresAt }: Pick<Caller, "userId" | "expiresAt">,
    origin: SessionOrigin,
  ): Promise<NewSession> {
    const key = newKey();
    return this.#add(key, origin, {
      createdAt: Date.now(),
      userId,
      means: "credential",
      sealed: seal(credential, key),
      keyId: undefined,
      providerSession: undefined,
      expiresAt: expiresAt + KEPT_MS,
    });
  }

  /** Opens a session for a person who has just signed in. */
  openFor(
    { userId, keyId, means, providerSession }: PersonSignIn,
    origin: SessionOrigin,
  ): Promise<NewSession> {
    const now = Date.now();
    return this.#add(newKey(), origin, {
      ...{ userId, means, keyId, providerSession },
      sealed: undefined,
      createdAt: now,
      expiresAt: now + MAX_SESSION_MS,
    });
  }

  async #add(
    key: string,
    { browser, address }: SessionOrigin,
    session: Omit<StoredSession, "id" | "usedAt" | keyof SessionOrigin>,
  ): Promise<NewSession> {
    const id = idOf(key);
    const shown = { browser: browser?.slice(0, MAX_BROWSER_LENGTH), address };
    await this.#store.add({ ...session, ...shown, id, usedAt: session.createdAt }, MAX_SESSIONS);
    return { key, name: nameOf(id) };
  }

  /** The session with a key, unless it has ended. It counts as used. */
  async find(key: string): Promise<OpenSession | undefined> {
    if (!KEY.test(key)) return undefined;
    const id = idOf(key);
    const session = await this.#store.find(id, Date.now());
    if (session === undefined || isIdle(session)) return undefined;
    this.#uses.note(id);
    // What goes on is a use.
    const hasEnded = async () => await this.#store.find(id, Date.now()) === undefined;
    return { name: nameOf(id), holder: holderOf(session, key), hasEnded };
  }

  /** Ends the session with a key, at all servers. Returns it, if it was open. */
  async end(key: string): Promise<EndedSession | undefined> {
    if (!KEY.test(key)) return undefined;
    const id = idOf(key);
    const session = await this.#store.find(id, Date.now());
    await this.#store.remove(id);
    return session && endedOf(session);
  }

  /** Ends what was begun by the provider, at all servers. Returns whose each session was. */
  endOfProvider(begun: BegunByProvider): Promise<readonly number[]> {
    return this.#store.removeOfProvider(begun);
  }

  /** The open sessions of a user, newest first. */
  async list(userId: number): Promise<readonly (ListedSession & { readonly name: string })[]> {
    const found = await this.#store.list(userId, Date.now());
    return found.filter((session) => !isIdle(session))
      .map((session) => ({ ...session, name: nameOf(session.id) }));
  }

  /** Ends the session of a user with a name, at all servers. Returns it, if there is one. */
  async endNamed(userId: number, name: string): Promise<EndedSession | undefined> {
    const found = (await this.list(userId)).find((session) => session.name === name);
    if (found !== undefined) await this.#store.remove(found.id);
    return found && endedOf(found);
  }
}

function endedOf({ id, userId, means }: ListedSession): EndedSession {
  return { name: nameOf(id), userId, means };
}

function isIdle({ means, usedAt }: ListedSession): boolean {
  return means !== "credential" && usedAt + MAX_IDLE_MS <= Date.now();
}

function holderOf(
  { sealed, userId, createdAt: since, expiresAt: until, keyId }: StoredSession,
  key: string,
): OpenSession["holder"] {
  return sealed === undefined ? { userId, since, until, keyId } : unseal(sealed, key);
}

function newKey(): string {
  return randomBytes(KEY_BYTES).toString("base64url");
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
