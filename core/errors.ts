/** The error kinds of RS 7, C 2 and C 15; routes/envelope.ts alone knows their statuses. */
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
 * A refusal that the caller is told about. The message names what failed, the value and the state
 * that stood against it, and never a path of the host, SQL or a stack (C 2).
 *
 * Anything else that is thrown is a defect or a failing host; the caller hears `ErrInternal` only.
 */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(readonly kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** `value` in quotes, shortened and with control characters escaped, for an error message. */
export function quoted(value: string): string {
  return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
}
