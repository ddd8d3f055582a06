import type { SignInMeansOffered } from "../../../../schemas/sign_in.ts";
import { ApiError, ownCall, signInBy } from "./api.ts";

/** What the server asks a browser for, and the text that goes back with the answer. */
interface Asked<Options> {
  readonly options: Options;
  readonly step: string;
}

type Creation = Asked<PublicKeyCredentialCreationOptionsJSON>;

/** By what people sign in besides credentials. @throws {ApiError} */
export function loadMeans(_signal: AbortSignal): Promise<SignInMeansOffered> {
  return ownCall("GET", "/sign-in");
}

/** Signs in with a passkey that the person chooses. @throws {ApiError} */
export async function signInWithPasskey(): Promise<void> {
  const { options, step } = await ownCall<Asked<PublicKeyCredentialRequestOptionsJSON>>(
    "POST",
    "/sign-in/passkey",
    {},
  );
  const response = await answered(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    })
  );
  await signInBy("/sign-in/passkey/answer", { step, response });
}

/** Goes to the provider. The page ends. @throws {ApiError} */
export async function goToProvider(): Promise<never> {
  const { url } = await ownCall<{ readonly url: string }>("POST", "/sign-in/provider", {});
  location.assign(url);
  return await new Promise(() => {});
}

/** An invitation that counts. */
export interface OpenInvitation extends Creation {
  /** Whom it is for. */
  readonly name: string;
}

/** Whom an invitation is for. @throws {ApiError} */
export function openInvitation(token: string): Promise<OpenInvitation> {
  return ownCall("POST", "/invitation", { token });
}

/** Makes a passkey for an invitation, and signs in. @throws {ApiError} */
export async function acceptInvitation(token: string): Promise<void> {
  // What was asked for when the page was opened may be too old.
  const { options, step } = await openInvitation(token);
  const response = await make(options);
  await signInBy("/invitation/answer", { token, step, label: ownName(), response });
}

/** Makes a further passkey of the person who is signed in. @throws {ApiError} */
export async function addPasskey(label: string): Promise<void> {
  const { options, step } = await ownCall<Creation>("POST", "/passkeys", {});
  const response = await make(options);
  await ownCall("POST", "/passkeys/answer", { step, label, response });
}

/** What a passkey of this browser is called. */
export function ownName(): string {
  return browserName(navigator.userAgent);
}

/** What people call a browser, by what it calls itself. */
export function browserName(agent: string): string {
  const named = ([["Edg/", "Edge"], ["Firefox/", "Firefox"], ["Chrome/", "Chrome"], [
    "Safari/",
    "Safari",
  ]] as const).find(([part]) => agent.includes(part))?.[1] ?? "A browser";
  const system = ([
    ["Android", "Android"],
    ["iPhone", "iPhone"],
    ["iPad", "iPad"],
    [
      "Windows",
      "Windows",
    ],
    ["Mac OS", "macOS"],
    ["Linux", "Linux"],
  ] as const)
    .find(([part]) => agent.includes(part))?.[1];
  return system === undefined ? named : `${named} on ${system}`;
}

function make(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  return answered(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    })
  );
}

/** What the browser says, as JSON. */
async function answered(ask: () => Promise<Credential | null>): Promise<unknown> {
  if (typeof PublicKeyCredential === "undefined") {
    throw new ApiError("ErrNoPasskeys", "Passkeys need https, or http://localhost");
  }
  try {
    const made = await ask();
    if (made instanceof PublicKeyCredential) return made.toJSON();
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    if (name === "InvalidStateError") {
      throw new ApiError("ErrNoPasskeys", "You have a passkey there already");
    }
    if (name === "SecurityError") {
      throw new ApiError(
        "ErrNoPasskeys",
        "Passkeys need https and a host name, or http://localhost",
      );
    }
  }
  throw new ApiError("ErrNoPasskeys", "No passkey was chosen: try again");
}
