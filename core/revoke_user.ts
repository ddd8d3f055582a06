import * as v from "valibot";
import { UserId } from "../schemas/credentials.ts";
import { parseTime } from "../schemas/units.ts";
import type { CredentialStore } from "./credential_store.ts";
import { AppError, quoted } from "./errors.ts";

/** A request to end all credentials of a user. */
export interface RevokeUserRequest {
  /** As the address has it. */
  readonly user: string;
  /** An RFC 3339 time, not in the future. @default now */
  readonly before?: string | undefined;
}

/** Which credentials are refused from now on. */
export interface UserRevocation {
  readonly userId: number;
  /** Those issued before this time, in milliseconds since the Unix epoch. */
  readonly before: number;
}

/**
 * Revokes all credentials of a user that were issued before a time: those of other issuers and those without
 * a `jti`, too, and all that was made with them (C 31). A credential that does not say when it was issued
 * counts as older than any. An earlier revocation stays.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the user or the time is invalid.
 */
export async function revokeUser(
  { store }: { readonly store: Pick<CredentialStore, "revokeUser"> },
  { user, before }: RevokeUserRequest,
): Promise<UserRevocation> {
  const userId = v.safeParse(UserId, user);
  if (!userId.success) throw invalid(`${quoted(user)} is not a user id from 1 to 2^53 − 1`);
  const now = Date.now();
  const time = before === undefined ? now : parseTime(before);
  // It would refuse credentials that are yet to be issued.
  if (time === undefined || time > now) {
    throw invalid(
      `before is ${quoted(before ?? "")}, expected an RFC 3339 time, not in the future`,
    );
  }
  return {
    userId: userId.output,
    before: await store.revokeUser(userId.output, time, now),
  };
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot revoke credentials: ${reason}`);
}
