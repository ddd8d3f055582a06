import type { Context } from "hono";
import type { Caller } from "../../core/caller.ts";
import type { AuditLog } from "../../core/audit.ts";
import type {
  ConsoleSessions,
  EndedSession,
  OpenSession,
  PersonSignIn,
  SessionOrigin,
} from "../../core/console_sessions.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { type ConsoleSession, SignInRequest } from "../../schemas/console.ts";
import { jsonBody } from "../request/body.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { addHeader } from "../reply/respond.ts";
import { recordBesides } from "../serving/audit.ts";
import type { ConsoleCookie } from "./cookie.ts";
import { CONSOLE_HEADER } from "./own_requests.ts";

type Handled = Context<AppEnvironment>;

export interface SessionParts {
  /** The caller that the holder of a session is now. */
  readonly verify: (holder: OpenSession["holder"]) => Promise<Caller>;
  readonly sessions: ConsoleSessions;
  readonly people: Pick<PeopleStore, "findByNumber">;
  /** The id of the key that sessions of persons stand or fall with. */
  readonly keyId: () => string | undefined;
  readonly cookie: ConsoleCookie;
  readonly audit: Pick<AuditLog, "write">;
  readonly historyMs: number;
  readonly hasMirror: boolean;
}

/** As much as a header of a request to the API may have. */
const MAX_CREDENTIAL_LENGTH = 8192;

/** `POST /console/session`: opens a session with a valid credential, and ends the one before (C 24). */
export async function signIn(c: Handled, parts: SessionParts): Promise<Response> {
  const { credential } = await jsonBody(c.req.raw, SignInRequest);
  const { length } = credential;
  if (length > MAX_CREDENTIAL_LENGTH) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `The credential has ${length} characters (maximum: ${MAX_CREDENTIAL_LENGTH})`,
    );
  }
  const caller = await parts.verify(credential);
  c.set("caller", caller);
  await endSessions(c, parts, parts.cookie.keys(c));
  const { key, name } = await parts.sessions.open(credential, caller, originOf(c));
  addHeader(c, "Set-Cookie", parts.cookie.keep(c, key));
  return success(c, await sessionOf(parts, caller, name));
}

/** Opens a session for a person who has just signed in, and says who that is. */
export async function startSession(
  c: Handled,
  parts: SessionParts,
  person: Omit<PersonSignIn, "keyId">,
): Promise<Response> {
  const { cookie, caller, name } = await openSessionFor(c, parts, person);
  addHeader(c, "Set-Cookie", cookie);
  return success(c, await sessionOf(parts, caller, name));
}

/**
 * Opens a session for a person, with a key of its own, and ends the one before (C 27).
 *
 * @param former The keys of what may be open in this browser.
 */
export async function openSessionFor(
  c: Handled,
  parts: SessionParts,
  person: Omit<PersonSignIn, "keyId">,
  former = parts.cookie.keys(c),
): Promise<{ readonly cookie: string; readonly caller: Caller; readonly name: string }> {
  await endSessions(c, parts, former);
  const { sessions } = parts;
  const { key, name } = await sessions.openFor({ ...person, keyId: parts.keyId() }, originOf(c));
  const session = await sessions.find(key);
  if (session === undefined) throw new AppError("ErrAuthRequired", "The session has ended");
  const caller = await parts.verify(session.holder);
  c.set("caller", caller);
  return { cookie: parts.cookie.keep(c, key), caller, name };
}

/** `GET /console/session`: who is signed in. */
export async function showSession(c: Handled, parts: SessionParts): Promise<Response> {
  const { holder, name } = await openSession(c, parts);
  const caller = await parts.verify(holder);
  c.set("caller", caller);
  return success(c, await sessionOf(parts, caller, name));
}

/** `DELETE /console/session`: ends the session, here and at all servers. The credential stays valid. */
export async function signOut(c: Handled, parts: SessionParts): Promise<Response> {
  await endSessions(c, parts, parts.cookie.keys(c));
  addHeader(c, "Set-Cookie", parts.cookie.remove(c));
  return success(c, null);
}

async function endSessions(
  c: Handled,
  { sessions, audit }: SessionParts,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) await recordEnd(c, audit, await sessions.end(key));
}

/** Records that the session of a person has been ended, as its start was (C 27). */
export async function recordEnd(
  c: Handled,
  audit: Pick<AuditLog, "write">,
  ended: EndedSession | undefined,
): Promise<void> {
  if (ended === undefined || ended.means === "credential") return;
  const { userId, name: session } = ended;
  await recordBesides(c, audit, userId, { action: "session.end", details: { session } });
}

/**
 * Who makes a request of the console's API.
 *
 * @throws {AppError} `ErrAuthRequired` when there is no session, or the page was loaded in another one.
 */
export async function sessionHolder(c: Handled, parts: SessionParts): Promise<Caller> {
  const session = await openSession(c, parts);
  const known = c.req.header(CONSOLE_HEADER);
  // A browser that follows a link sends no header.
  if (known !== undefined && known !== session.name) {
    throw new AppError("ErrAuthRequired", "Another session has begun in this browser");
  }
  c.set("session", session);
  return await parts.verify(session.holder);
}

/** What the list of sessions shows of the browser that signs in. */
function originOf(c: Handled): SessionOrigin {
  return { browser: c.req.header("User-Agent"), address: c.get("address") };
}

async function openSession(
  c: Handled,
  { sessions, cookie }: SessionParts,
): Promise<OpenSession> {
  const [key, other] = cookie.keys(c);
  if (other !== undefined) {
    throw new AppError(
      "ErrAuthRequired",
      "There are several cookies of the console; sign in again",
    );
  }
  if (key === undefined) throw new AppError("ErrAuthRequired", "Not signed in");
  const session = await sessions.find(key);
  if (session === undefined) throw new AppError("ErrAuthRequired", "The session has ended");
  return session;
}

async function sessionOf(
  { people, historyMs, hasMirror }: SessionParts,
  { userId, privileges, trees = new Map(), expiresAt, isPerson = false }: Caller,
  name: string,
): Promise<ConsoleSession> {
  const others = await Promise.all([...trees.keys()].map((tree) => people.findByNumber(tree)));
  const own = await people.findByNumber(userId);
  return {
    name,
    user_id: userId,
    user_name: own?.name ?? null,
    is_person: isPerson,
    of_provider: isPerson && own?.identity !== undefined,
    privileges: [...privileges],
    trees: Object.fromEntries([...trees].map(([user, names]) => [user, [...names]])),
    tree_names: Object.fromEntries(others.flatMap((it) => it ? [[it.number, it.name]] : [])),
    history_ms: historyMs,
    has_mirror: hasMirror,
    expires_at: isoTime(expiresAt),
  };
}
