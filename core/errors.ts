/** The kinds of errors (RS 7, C 2, C 15). Their HTTP statuses are in routes/openapi/refusals.ts. */
export type ErrorKind =
  | "ErrAuthRequired"
  | "ErrNotPermitted"
  | "ErrInternal"
  | "ErrResourcesInvalidRequest"
  | "ErrResourcesInvalidData"
  | "ErrResourcesAlreadyExists"
  | "ErrResourcesConflict"
  | "ErrResourcesNotFound"
  | "ErrResourcesSharedPath"
  | "ErrResourcesQuotaExceeded"
  | "ErrResourcesQuarantined"
  | "ErrResourcesRefused"
  | "ErrResourcesLocked"
  | "ErrPreconditionFailed"
  | "ErrVersionsNotFound"
  | "ErrTagsNotFound"
  | "ErrTagsConflict"
  | "ErrWaiversNotFound"
  | "ErrLinksNotFound"
  | "ErrTokensNotFound"
  | "ErrTokensNotIssued"
  | "ErrUsersNotFound"
  | "ErrUsersConflict"
  | "ErrSessionsNotFound"
  | "ErrPasskeysNotFound"
  | "ErrLoginsNotFound"
  | "ErrInvitationsNotFound"
  | "ErrAuditNotKept"
  | "ErrUploadsNotFound"
  | "ErrUploadsConflict"
  | "ErrUploadsLocked"
  | "ErrUploadsTooLarge"
  | "ErrUploadsChecksumMismatch"
  | "ErrScansNotFound"
  | "ErrScansConflict"
  | "ErrScansQueueFull"
  | "ErrHubRepositoryNotFound"
  | "ErrHubRevisionNotFound"
  | "ErrHubEntryNotFound"
  | "ErrHubNotOffered"
  | "ErrMirrorNotOffered"
  | "ErrNotOffered"
  | "ErrRouteNotFound"
  | "ErrMethodNotAllowed"
  | "ErrTooManyRequests"
  | "ErrUnavailable";

/**
 * An error whose message is shown to the caller. The message names the action that failed, the value
 * and the reason, and never contains a path of the host, SQL or a stack trace (C 2):
 * `Cannot move "a": not found`.
 *
 * Any other error is a bug or a failure of the host. The caller then sees `ErrInternal` and a request
 * id only.
 */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(readonly kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** A request came too early: there are too many of them, or what it asks for is being scanned. */
export class RetryLater extends AppError {
  /** @param retryAfterS After how many seconds the request may be served. */
  constructor(
    kind: "ErrTooManyRequests" | "ErrUnavailable" | "ErrResourcesQuarantined",
    message: string,
    readonly retryAfterS: number,
  ) {
    super(kind, message);
  }
}

/** Stored content is not what was stored: its bytes have changed on the disk (C 5.3). */
export class DamagedContent extends Error {
  override readonly name = "DamagedContent";

  /**
   * @param hash The hash under which the content is stored.
   * @param expected The checksum that the intact content has, such as `CRC-32 0a1b2c3d`.
   * @param found The checksum of the bytes that were read.
   */
  constructor(readonly hash: string, readonly expected: string, readonly found: string) {
    super(`Content ${hash} is damaged: found ${found} (expected: ${expected})`);
  }
}

/** `value` in quotes for an error message: at most 200 characters, control characters escaped. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
