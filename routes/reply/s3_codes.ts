import type { ErrorKind } from "../../core/errors.ts";
import type { S3Code } from "../../core/s3/s3_error.ts";
import { REFUSALS } from "../openapi/refusals.ts";

/** The statuses that clients of S3 know codes by, where they are not those of the kinds here. */
const STATUSES = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  InvalidAccessKeyId: 403,
  InvalidPartNumber: 416,
  InvalidRange: 416,
  InvalidToken: 400,
  MissingContentLength: 411,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
} as const satisfies { readonly [Code in S3Code]?: number };

/** The codes of kinds that have one of S3. The others are known by their own name. */
const CODES: { readonly [Kind in ErrorKind]?: string } = {
  ErrAuthRequired: "AccessDenied",
  ErrNotPermitted: "AccessDenied",
  ErrInternal: "InternalError",
  ErrResourcesInvalidRequest: "InvalidArgument",
  ErrResourcesInvalidData: "InvalidRequest",
  ErrResourcesQuotaExceeded: "QuotaExceeded",
  ErrResourcesNotFound: "NoSuchKey",
  ErrResourcesQuarantined: "AccessDenied",
  ErrResourcesRefused: "AccessDenied",
  ErrPreconditionFailed: "PreconditionFailed",
  ErrUploadsNotFound: "NoSuchUpload",
  ErrVersionsNotFound: "NoSuchVersion",
  ErrUploadsLocked: "OperationAborted",
  ErrUploadsTooLarge: "EntityTooLarge",
  ErrRouteNotFound: "NotImplemented",
  ErrNotOffered: "NotImplemented",
  ErrMethodNotAllowed: "MethodNotAllowed",
  ErrTooManyRequests: "SlowDown",
  ErrUnavailable: "SlowDown",
};

/** The code and the status that clients of S3 know a refusal by (C 30). */
export function s3Refusal(
  { kind, status, s3Code }: {
    readonly kind: ErrorKind;
    readonly status: number;
    readonly s3Code?: S3Code | undefined;
  },
): readonly [code: string, status: number] {
  const statuses: { readonly [Code in S3Code]?: number } = STATUSES;
  if (s3Code !== undefined) return [s3Code, statuses[s3Code] ?? REFUSALS[kind].status];
  const code = CODES[kind] ?? kind.replace(/^Err(?:Resources)?/, "");
  // Clients do not know how to ask for another credential, and retry what is told to come too early.
  if (code === "AccessDenied") return [code, 403];
  if (status === 416) return ["InvalidRange", status];
  return [code, code === "SlowDown" ? 503 : status];
}
