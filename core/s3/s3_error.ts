import { AppError, type ErrorKind } from "../errors.ts";

/** The codes of Amazon S3 that refusals of this door have, and their kinds here. */
const KINDS = {
  AccessDenied: "ErrNotPermitted",
  AuthorizationHeaderMalformed: "ErrAuthRequired",
  AuthorizationQueryParametersError: "ErrAuthRequired",
  BucketAlreadyOwnedByYou: "ErrResourcesAlreadyExists",
  BadRequest: "ErrResourcesInvalidRequest",
  BadDigest: "ErrResourcesInvalidData",
  EntityTooLarge: "ErrResourcesInvalidRequest",
  EntityTooSmall: "ErrResourcesInvalidRequest",
  IncompleteBody: "ErrResourcesInvalidRequest",
  InvalidAccessKeyId: "ErrAuthRequired",
  InvalidArgument: "ErrResourcesInvalidRequest",
  InvalidDigest: "ErrResourcesInvalidRequest",
  InvalidPart: "ErrResourcesInvalidRequest",
  InvalidPartNumber: "ErrResourcesInvalidRequest",
  InvalidPartOrder: "ErrResourcesInvalidRequest",
  InvalidRange: "ErrResourcesInvalidRequest",
  InvalidRequest: "ErrResourcesInvalidRequest",
  InvalidTag: "ErrResourcesInvalidRequest",
  InvalidToken: "ErrAuthRequired",
  KeyTooLongError: "ErrResourcesInvalidRequest",
  MalformedTrailerError: "ErrResourcesInvalidRequest",
  MalformedXML: "ErrResourcesInvalidRequest",
  MissingContentLength: "ErrResourcesInvalidRequest",
  MethodNotAllowed: "ErrMethodNotAllowed",
  MetadataTooLarge: "ErrResourcesInvalidRequest",
  NoSuchBucket: "ErrResourcesNotFound",
  NoSuchKey: "ErrResourcesNotFound",
  NoSuchUpload: "ErrUploadsNotFound",
  NoSuchVersion: "ErrVersionsNotFound",
  NotImplemented: "ErrNotOffered",
  PreconditionFailed: "ErrPreconditionFailed",
  RequestTimeTooSkewed: "ErrAuthRequired",
  SignatureDoesNotMatch: "ErrAuthRequired",
  XAmzContentSHA256Mismatch: "ErrResourcesInvalidData",
} as const satisfies Readonly<Record<string, ErrorKind>>;

export type S3Code = keyof typeof KINDS;

/** A refusal with a code of Amazon S3, by which its clients decide what to do (C 30). */
export class S3Error extends AppError {
  constructor(readonly code: S3Code, message: string, options?: ErrorOptions) {
    super(KINDS[code], message, options);
  }
}
