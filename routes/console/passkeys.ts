import type { Context } from "hono";
import type { Caller } from "../../core/caller.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import {
  acceptInvitation,
  addPasskey,
  askForPasskey,
  askForSignIn,
  invitedPerson,
  type PasskeyService,
  signInWithPasskey,
} from "../../core/people/passkeys.ts";
import type { Provider } from "../../core/people/provider.ts";
import type { Passkey } from "../../core/people/sign_in_store.ts";
import type { Person } from "../../core/people/store.ts";
import {
  AcceptRequest,
  AddPasskeyRequest,
  InvitationRequest,
  type PasskeyEntry,
  PasskeySignInRequest,
  type SignInMeansOffered,
} from "../../schemas/sign_in.ts";
import { success } from "../reply/envelope.ts";
import { jsonBody } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { auditChange } from "../serving/audit.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import { sessionHolder, type SessionParts, startSession } from "./session.ts";

type Handled = Context<AppEnvironment>;

export interface PasskeyParts extends SessionParts {
  readonly passkeys: PasskeyService;
  readonly publicUrl: Pick<PublicUrl, "originFor">;
}

/** `GET /console/sign-in`: by what people sign in, besides credentials. */
export async function showMeans(
  c: Handled,
  { passkeys, provider }: PasskeyParts & { readonly provider?: Provider | undefined },
): Promise<Response> {
  const offered: SignInMeansOffered = {
    passkeys: await passkeys.store.hasPasskeys(),
    provider: provider?.host ?? null,
  };
  return success(c, offered);
}

/** `POST /console/sign-in/passkey`: what the browser is to sign. */
export async function beginSignIn(c: Handled, parts: PasskeyParts): Promise<Response> {
  return success(c, await askForSignIn(parts.passkeys, siteOf(c, parts)));
}

/** `POST /console/sign-in/passkey/answer`: signs in with a passkey (C 27). */
export async function finishSignIn(c: Handled, parts: PasskeyParts): Promise<Response> {
  const answer = await jsonBody(c.req.raw, PasskeySignInRequest);
  const person = await signInWithPasskey(parts.passkeys, answer, siteOf(c, parts));
  return await startSession(c, parts, { userId: person.number, means: "passkey" });
}

/** `POST /console/invitation`: whom an invitation is for, and how the browser is to make a passkey. */
export async function openInvitation(c: Handled, parts: PasskeyParts): Promise<Response> {
  const { token } = await jsonBody(c.req.raw, InvitationRequest);
  const person = await invitedPerson(parts.passkeys, token);
  const asked = await askForPasskey(parts.passkeys, person, siteOf(c, parts));
  return success(c, { name: person.name, ...asked });
}

/** `POST /console/invitation/answer`: keeps the passkey, uses up the invitation and signs in (C 27). */
export async function finishInvitation(c: Handled, parts: PasskeyParts): Promise<Response> {
  const made = await jsonBody(c.req.raw, AcceptRequest);
  const person = await acceptInvitation(parts.passkeys, made, siteOf(c, parts));
  auditChange(c, { paths: [], details: { label: made.label } });
  return await startSession(c, parts, { userId: person.number, means: "passkey" });
}

/** `GET /console/passkeys`: those of the person who is signed in, newest first. */
export async function listPasskeys(c: Handled, parts: PasskeyParts): Promise<Response> {
  const { userId } = await personOf(c, parts);
  const items = (await parts.passkeys.store.listPasskeys(userId)).map(entryOf);
  return success(c, { items, total: items.length });
}

/** `POST /console/passkeys`: how the browser is to make a further passkey. */
export async function beginPasskey(c: Handled, parts: PasskeyParts): Promise<Response> {
  const { userId: number } = await personOf(c, parts);
  const person: Person | undefined = await parts.passkeys.people.findByNumber(number);
  if (person === undefined) throw new Error("A person who is signed in is not known");
  // It would outlive what the provider permits.
  if (person.identity !== undefined) {
    throw new AppError("ErrNotPermitted", "You sign in by your provider: it needs no passkey");
  }
  return success(c, await askForPasskey(parts.passkeys, person, siteOf(c, parts)));
}

/** `POST /console/passkeys/answer`: keeps a further passkey (C 27). */
export async function finishPasskey(c: Handled, parts: PasskeyParts): Promise<Response> {
  const { userId } = await personOf(c, parts);
  const made = await jsonBody(c.req.raw, AddPasskeyRequest);
  const passkey = await addPasskey(parts.passkeys, userId, made, siteOf(c, parts));
  auditChange(c, { paths: [], details: { label: passkey.label } });
  return success(c, entryOf(passkey));
}

/** `DELETE /console/passkeys/{id}`. */
export async function deletePasskey(c: Handled, parts: PasskeyParts): Promise<Response> {
  const { userId } = await personOf(c, parts);
  const id = c.req.param("id") ?? "";
  auditChange(c, { paths: [], details: { passkey: id } });
  if (await parts.passkeys.store.removePasskey(userId, id)) return success(c, null);
  throw new AppError("ErrPasskeysNotFound", "You have no such passkey");
}

/**
 * The person who is signed in.
 *
 * @throws {AppError} `ErrNotPermitted` when a credential is signed in: who has it could go on after its end.
 */
export async function personOf(c: Handled, parts: PasskeyParts): Promise<Caller> {
  const caller = await sessionHolder(c, parts);
  c.set("caller", caller);
  if (caller.isPerson === true) return caller;
  throw new AppError("ErrNotPermitted", "This is for people: you are signed in with a credential");
}

function siteOf(c: Handled, { publicUrl }: PasskeyParts) {
  return { origin: publicUrl.originFor(c) };
}

function entryOf({ id, label, createdAt, usedAt }: Passkey): PasskeyEntry {
  return {
    id,
    label,
    created_at: isoTime(createdAt),
    last_used_at: usedAt === undefined ? null : isoTime(usedAt),
  };
}
