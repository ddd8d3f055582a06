import { createHash, randomBytes } from "node:crypto";
import { AppError } from "../errors.ts";
import type { Invitation, SignInStore } from "./sign_in_store.ts";
import type { Person } from "./store.ts";

/** How long an invitation is valid, in milliseconds (C 27). */
export const INVITATION_MS = 24 * 60 * 60_000;
/** 192 random bits. */
const TOKEN_BYTES = 24;
const TOKEN = /^[\w-]{32}$/;

/**
 * Invites a person to make a passkey. A former invitation of the person counts no longer. The token is returned
 * here, and kept nowhere.
 *
 * @throws {AppError} `ErrNotPermitted` when the person is disabled, or signs in by the provider: a passkey would
 *   outlive what that permits.
 */
export async function invite(
  store: Pick<SignInStore, "addInvitation">,
  { number: person, name, disabledAt, identity }: Pick<
    Person,
    "number" | "name" | "disabledAt" | "identity"
  >,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  if (disabledAt !== undefined) {
    throw new AppError("ErrNotPermitted", `Cannot invite ${name}: disabled`);
  }
  if (identity !== undefined) {
    throw new AppError("ErrNotPermitted", `Cannot invite ${name}, who signs in by the provider`);
  }
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const now = Date.now();
  const expiresAt = now + INVITATION_MS;
  await store.addInvitation({ tokenSha256: sha256(token), person, createdAt: now, expiresAt });
  return { token, expiresAt };
}

/**
 * The invitation with a token.
 *
 * @throws {AppError} `ErrInvitationsNotFound` when it was used, has expired, or never was.
 */
export async function findInvitation(
  store: Pick<SignInStore, "findInvitation">,
  token: string,
): Promise<Invitation> {
  const found = TOKEN.test(token)
    ? await store.findInvitation(sha256(token), Date.now())
    : undefined;
  if (found !== undefined) return found;
  throw overError();
}

/** That an invitation counts no longer. */
export function overError(): AppError {
  return new AppError(
    "ErrInvitationsNotFound",
    "This invitation has been used, has expired, or was replaced: ask for another one",
  );
}

/**
 * The address that opens the console with an invitation. Browsers send the fragment to no server, and make passkeys
 * for names of hosts alone.
 *
 * @param server The URL of the server.
 */
export function invitationUrl(server: string, token: string): string {
  const url = new URL(server);
  if (isLoopback(url.hostname.replace(/^\[|\]$/g, ""))) url.hostname = "localhost";
  return `${url.href.replace(/\/$/, "")}/#/invitation/${token}`;
}

/** Whether an address is this host's own. */
function isLoopback(address: string): boolean {
  return address === "::1" || /^127(?:\.\d{1,3}){3}$/.test(address);
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
