import * as v from "valibot";

const base64url = v.pipe(v.string(), v.maxLength(20_000), v.regex(/^[\w-]*$/));
const id = v.pipe(base64url, v.minLength(1), v.maxLength(1400));
const attachment = v.optional(v.picklist(["cross-platform", "platform"]));
const step = v.pipe(v.string(), v.maxLength(4096));
const token = v.pipe(v.string(), v.maxLength(100));

/** What the person calls a passkey. */
const label = v.pipe(v.string(), v.trim(), v.regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u));

/** What a browser says of a passkey that it has made (WebAuthn, `RegistrationResponseJSON`). */
const PasskeyCreated = v.object({
  id,
  rawId: id,
  type: v.literal("public-key"),
  response: v.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(30))), v.maxLength(10))),
  }),
  authenticatorAttachment: attachment,
  clientExtensionResults: v.optional(v.object({}), {}),
});
export type PasskeyCreated = v.InferOutput<typeof PasskeyCreated>;

/** What a browser says of a passkey that has signed (WebAuthn, `AuthenticationResponseJSON`). */
const PasskeyAnswer = v.object({
  id,
  rawId: id,
  type: v.literal("public-key"),
  response: v.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: v.optional(base64url),
  }),
  authenticatorAttachment: attachment,
  clientExtensionResults: v.optional(v.object({}), {}),
});
export type PasskeyAnswer = v.InferOutput<typeof PasskeyAnswer>;

/** The body of a request to look at an invitation (C 27). Unknown keys are ignored (C 3). */
export const InvitationRequest = v.object({ token });

/** The body of a request to accept an invitation with a passkey that the browser has made. */
export const AcceptRequest = v.object({ token, step, label, response: PasskeyCreated });

/** The body of a request to add a passkey that the browser has made. */
export const AddPasskeyRequest = v.object({ step, label, response: PasskeyCreated });

/** The body of a request to sign in with a passkey. */
export const PasskeySignInRequest = v.object({ step, response: PasskeyAnswer });

/** An invitation, as who makes it sees it. */
export const InvitationEntry = v.object({
  url: v.pipe(v.string(), v.description("Where the person makes a passkey; shown only once")),
  expires_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type InvitationEntry = v.InferOutput<typeof InvitationEntry>;

/** A passkey, as its person sees it. Times are UTC, with milliseconds. */
export interface PasskeyEntry {
  readonly id: string;
  readonly label: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** What a sign-in by the provider has to know when the browser comes back. */
export const ProviderStep = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
});
export type ProviderStep = v.InferOutput<typeof ProviderStep>;

/** The same as the browser keeps it, with the keys of the sessions that are to end when it is back. */
export const KeptProviderStep = v.object({
  ...ProviderStep.entries,
  former: v.array(v.string()),
});

/** Why a sign-in by the provider has failed, as the address of the console says it. */
export type SignInFailure = "disabled" | "refused" | "unavailable";

/** The body of a request that decides about a machine. */
export const DeviceDecision = v.object({ approve: v.boolean() });

/** A machine that waits for its person, as that sees it. Times are UTC, with milliseconds. */
export interface DeviceEntry {
  /** What it calls itself. */
  readonly machine: string;
  readonly address: string | null;
  readonly created_at: string;
}

/** By what people sign in to this server besides credentials. */
export interface SignInMeansOffered {
  readonly passkeys: boolean;
  /** The host of the provider; null if there is none. */
  readonly provider: string | null;
}
