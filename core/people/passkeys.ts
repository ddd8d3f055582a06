import * as v from "valibot";
import type { PasskeyAnswer, PasskeyCreated } from "../../schemas/sign_in.ts";
import { AppError } from "../errors.ts";
import { findInvitation, overError } from "./invitations.ts";
import type { Passkey, SignInStore } from "./sign_in_store.ts";
import type { Steps } from "./steps.ts";
import type { PeopleStore, Person } from "./store.ts";

/** The most passkeys of a person. */
const MAX_PASSKEYS = 20;
const NAME = "strongroom";

/** What passkeys are worked on with. */
export interface PasskeyService {
  readonly store: SignInStore;
  readonly people: Pick<PeopleStore, "findByNumber">;
  readonly steps: Steps;
}

/** What a browser is to do, as options of `navigator.credentials`, and the text that it sends back with the answer. */
export interface Asked<Options> {
  readonly options: Options;
  readonly step: string;
}

/** The answer of a browser that has made a passkey. */
export interface MadePasskey {
  readonly step: string;
  readonly response: PasskeyCreated;
  /** What the person calls it. */
  readonly label: string;
}

/** Where the console is: passkeys are of its host, and answers of its origin. */
interface Site {
  readonly origin: string;
}

const Registration = v.object({ challenge: v.string(), person: v.number() });
const SignIn = v.object({ challenge: v.string() });

/** The library takes a second to load, and some megabytes. Servers whose people have no passkeys never do. */
const webAuthn = () => import("@simplewebauthn/server");

/** Has a browser make a passkey for a person. */
export async function askForPasskey(
  { store, steps }: PasskeyService,
  { number: person, name }: Pick<Person, "number" | "name">,
  { origin }: Site,
) {
  const { generateRegistrationOptions } = await webAuthn();
  const own = await store.listPasskeys(person);
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: new URL(origin).hostname,
    userName: name,
    userDisplayName: name,
    userID: new TextEncoder().encode(String(person)),
    excludeCredentials: own.map(({ id, transports }) => ({ id, transports: [...transports] })),
    // It says itself whose it is, and takes the place of a password: so it knows its person, too.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const step = await steps.begin("registration", { challenge: options.challenge, person });
  return { options, step };
}

/**
 * Adds a passkey that a browser has made for a person.
 *
 * @throws {AppError} `ErrAuthRequired` when it is not the answer to what was asked, `ErrResourcesInvalidRequest`
 *   when the person has {@link MAX_PASSKEYS}.
 */
export async function addPasskey(
  service: PasskeyService,
  person: number,
  made: MadePasskey,
  site: Site,
): Promise<Passkey> {
  const passkey = await verified(service, person, made, site);
  if (await service.store.addPasskey(passkey, MAX_PASSKEYS)) return passkey;
  throw tooMany();
}

/**
 * Whom an invitation is for.
 *
 * @throws {AppError} `ErrInvitationsNotFound` when it is over, `ErrNotPermitted` when the person is disabled.
 */
export async function invitedPerson(
  { store, people }: PasskeyService,
  token: string,
): Promise<Person> {
  const { person } = await findInvitation(store, token);
  return await enabledPerson(people, person);
}

/**
 * Uses up an invitation: adds the passkey that was made with it. Returns the person, who is signed in with it.
 *
 * @throws {AppError} `ErrInvitationsNotFound` when it was used meanwhile, and as {@link addPasskey}.
 */
export async function acceptInvitation(
  service: PasskeyService,
  { token, ...made }: MadePasskey & { readonly token: string },
  site: Site,
): Promise<Person> {
  const { store, people } = service;
  const { person, tokenSha256 } = await findInvitation(store, token);
  const found = await enabledPerson(people, person);
  const passkey = await verified(service, person, made, site);
  if ((await store.listPasskeys(person)).length >= MAX_PASSKEYS) throw tooMany();
  if (await store.acceptInvitation(tokenSha256, passkey, MAX_PASSKEYS)) return found;
  throw overError();
}

/** Has a browser sign in with any passkey of this site. */
export async function askForSignIn({ steps }: PasskeyService, { origin }: Site) {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({
    rpID: new URL(origin).hostname,
    userVerification: "required",
  });
  return { options, step: await steps.begin("passkey", { challenge: options.challenge }) };
}

/**
 * The person who has signed in with a passkey.
 *
 * @throws {AppError} `ErrAuthRequired` when the passkey is not known, or has not signed what was asked, or has
 *   done so before; `ErrNotPermitted` when the person is disabled.
 */
export async function signInWithPasskey(
  { store, people, steps }: PasskeyService,
  { step, response }: { readonly step: string; readonly response: PasskeyAnswer },
  { origin }: Site,
): Promise<Person> {
  const { data, at: begunAt } = await steps.end("passkey", step);
  const { challenge } = v.parse(SignIn, data);
  const passkey = await store.findPasskey(response.id);
  if (passkey === undefined) throw refused("it is not known here, or was removed");
  const { verifyAuthenticationResponse } = await webAuthn();
  const { id, publicKey, counter, transports } = passkey;
  const found = await withReason(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      credential: { id, publicKey, counter, transports: [...transports] },
      requireUserVerification: true,
    })
  );
  if (!found.verified) throw refused("its signature is wrong");
  const person = await enabledPerson(people, passkey.person);
  const { newCounter } = found.authenticationInfo;
  const use = { id, counter: newCounter, begunAt, now: Date.now() };
  if (await store.usePasskey(use)) return person;
  throw refused("it was used since this sign-in began; try again");
}

async function verified(
  { steps }: PasskeyService,
  person: number,
  { step, response, label }: MadePasskey,
  { origin }: Site,
): Promise<Passkey> {
  const asked = v.parse(Registration, (await steps.end("registration", step)).data);
  if (asked.person !== person) throw refused("it was made for somebody else");
  const { verifyRegistrationResponse } = await webAuthn();
  const { registrationInfo } = await withReason(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: asked.challenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
    })
  );
  if (registrationInfo === undefined) throw refused("its signature is wrong");
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const createdAt = Date.now();
  return { id, person, publicKey, counter, transports, label, createdAt, usedAt: undefined };
}

async function enabledPerson(
  people: Pick<PeopleStore, "findByNumber">,
  number: number,
): Promise<Person> {
  const person = await people.findByNumber(number);
  if (person?.kind === "person" && person.disabledAt === undefined) return person;
  throw new AppError("ErrNotPermitted", "You have been disabled here: ask an administrator");
}

/** The library throws plain errors for answers that are wrong. */
async function withReason<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    throw refused("it is not the answer to what was asked", error);
  }
}

function refused(reason: string, cause?: unknown): AppError {
  return new AppError("ErrAuthRequired", `The passkey was not accepted: ${reason}`, { cause });
}

function tooMany(): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `The passkey is known already, or you have ${MAX_PASSKEYS}: remove one first`,
  );
}
