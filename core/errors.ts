/** The kinds of errors (RS 7, C 2, C 15). Only routes/envelope.ts knows their HTTP statuses. */
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
  | "ErrScansNotFound"
  | "ErrScansConflict"
  | "ErrScansQueueFull"
  | "ErrRouteNotFound"
  | "ErrMethodNotAllowed"
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

/** `value` in quotes for an error message: at most 200 characters, control characters escaped. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
