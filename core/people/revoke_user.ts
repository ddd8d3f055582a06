import { parseTime } from "../../schemas/units.ts";
import type { CredentialStore } from "../credential_store.ts";
import { AppError, quoted } from "../errors.ts";
import { type Names, numberNamed } from "./named.ts";

/** What it takes to end the credentials of a user. */
export interface RevocationParts {
  readonly store: Pick<CredentialStore, "revokeUser">;
  readonly people: Names;
}

/** A request to end all credentials of a user. */
export interface RevokeUserRequest {
  /** The number or the name of the user. */
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
 * @throws {AppError} `ErrResourcesInvalidRequest` when the user or the time is invalid, `ErrUsersNotFound` when nobody
 *   has the name.
 */
export async function revokeUser(
  { store, people }: RevocationParts,
  { user, before }: RevokeUserRequest,
): Promise<UserRevocation> {
  const userId = await numberNamed(people, user, "user");
  if (userId === undefined) {
    throw new AppError("ErrUsersNotFound", `Nobody has the name ${quoted(user)}`);
  }
  const now = Date.now();
  const time = before === undefined ? now : parseTime(before);
  // It would refuse credentials that are yet to be issued.
  if (time === undefined || time > now) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot revoke credentials: before is ${quoted(before ?? "")}, expected an RFC 3339 time, ` +
        "not in the future",
    );
  }
  return { userId, before: await store.revokeUser(userId, time, now) };
}
