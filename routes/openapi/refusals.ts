import type { ErrorKind } from "../../core/errors.ts";
import { type HeaderName, headersOf } from "./headers.ts";
import { componentPath, type Json, jsonResponse } from "./parts.ts";

interface Meaning {
  readonly status: number;
  readonly when: string;
  /** Headers that every such reply has. */
  readonly headers?: readonly HeaderName[];
  /** Headers that it may have. */
  readonly optionalHeaders?: readonly HeaderName[];
}

/** The status of a wrong checksum in tus 1.0.0, which HTTP does not define. */
export const CHECKSUM_MISMATCH = 460;

/** The status of each error kind, and when it is sent (C 2). */
export const REFUSALS = {
  ErrAuthRequired: {
    status: 401,
    when: "The credential is missing or invalid",
    headers: ["WWW-Authenticate"],
  },
  ErrNotPermitted: { status: 403, when: "The credential lacks a privilege" },
  ErrInternal: {
    status: 500,
    when: "An internal error, which the log has under the request id; a full disk is named",
  },
  ErrResourcesInvalidRequest: {
    status: 400,
    when: "A header, query, path, id or body is invalid, or over a limit",
  },
  ErrResourcesInvalidData: {
    status: 400,
    when: "A file name is invalid, or the content is not what it is stated to be",
  },
  ErrResourcesSharedPath: { status: 400, when: "Two different records have one path" },
  ErrResourcesQuotaExceeded: { status: 400, when: "The files of the tree would exceed the quota" },
  ErrResourcesNotFound: {
    status: 404,
    when: "A path or id has no record, or a file has lost its content",
  },
  ErrResourcesAlreadyExists: { status: 409, when: "The request would replace something" },
  ErrResourcesConflict: { status: 409, when: "A move or copy would replace something" },
  ErrResourcesQuarantined: {
    status: 403,
    when: "The gate refuses a file",
    optionalHeaders: ["Retry-After"],
  },
  ErrResourcesRefused: { status: 403, when: "A rule of the policy refuses a file" },
  ErrResourcesLocked: { status: 423, when: "A client of WebDAV has locked what would change" },
  ErrPreconditionFailed: { status: 412, when: "A precondition such as If-Match fails" },
  ErrVersionsNotFound: { status: 404, when: "The version of the tree is not kept" },
  ErrTagsNotFound: { status: 404, when: "The tag does not exist" },
  ErrTagsConflict: { status: 409, when: "A tag has the name" },
  ErrWaiversNotFound: { status: 404, when: "The waiver does not exist" },
  ErrLinksNotFound: {
    status: 404,
    when: "The link does not exist, is over, or belongs to another user",
  },
  ErrSessionsNotFound: { status: 404, when: "The session has ended, or belongs to another user" },
  ErrPasskeysNotFound: { status: 404, when: "The person has no such passkey" },
  ErrLoginsNotFound: { status: 404, when: "No machine waits with this code" },
  ErrInvitationsNotFound: { status: 404, when: "The invitation was used, or has expired" },
  ErrTokensNotFound: {
    status: 404,
    when: "The credential is not known, or belongs to another user",
  },
  ErrTokensNotIssued: { status: 501, when: "The server has no key to sign credentials with" },
  ErrUsersNotFound: { status: 404, when: "There is no such person or team" },
  ErrUsersConflict: { status: 409, when: "The name or the number is taken" },
  ErrAuditNotKept: { status: 501, when: "The audit log goes to standard error" },
  ErrUploadsNotFound: {
    status: 404,
    when: "The upload does not exist, has expired, or belongs to another user",
  },
  ErrUploadsConflict: { status: 409, when: "The offset is not how much has been received" },
  ErrUploadsLocked: { status: 423, when: "Another request is working on the upload" },
  ErrUploadsTooLarge: { status: 413, when: "The file or the request is too large" },
  ErrUploadsChecksumMismatch: {
    status: CHECKSUM_MISMATCH,
    when: "The content does not have the checksum that the client states",
  },
  ErrScansNotFound: { status: 404, when: "The scan does not exist, or belongs to another user" },
  ErrScansConflict: { status: 409, when: "The scan has no report, or none yet" },
  ErrScansQueueFull: {
    status: 429,
    when: "Too many scans are queued",
    headers: ["Retry-After"],
  },
  ErrHubRepositoryNotFound: { status: 404, when: "The repository does not exist" },
  ErrHubRevisionNotFound: { status: 404, when: "The repository does not have the revision" },
  ErrHubEntryNotFound: { status: 404, when: "The repository does not have the file" },
  ErrHubNotOffered: { status: 501, when: "The hub does not have the address" },
  ErrMirrorNotOffered: { status: 404, when: "No other hub is mirrored" },
  ErrNotOffered: {
    status: 501,
    when: "Settings turn it off, or the S3 door does not have the operation",
  },
  ErrRouteNotFound: { status: 404, when: "The address has no route" },
  ErrMethodNotAllowed: {
    status: 405,
    when: "The address does not allow the method",
    headers: ["Allow"],
  },
  ErrTooManyRequests: {
    status: 429,
    when: "Too many requests in a minute, or at once",
    headers: ["Retry-After"],
  },
  ErrUnavailable: {
    status: 503,
    when: "The server is not ready, is stopping, or serves as many requests as it may",
    optionalHeaders: ["Retry-After"],
  },
} as const satisfies Readonly<Record<ErrorKind, Meaning>>;

/** Refusals of the kind `ErrResourcesInvalidRequest` with a status of their own. */
const OTHER_STATUSES = {
  415: { when: "The body has a Content-Encoding" },
  416: { when: "The range is outside the content", headers: ["Content-Range"] },
  501: { when: "The Transfer-Encoding is not chunked" },
} as const satisfies Readonly<Record<number, Omit<Meaning, "status">>>;

/** A kind of error that an operation replies with, or a status of invalid requests. */
export type Refusal = ErrorKind | keyof typeof OTHER_STATUSES;

/** Responses by status. */
export type Responses = Readonly<Record<string, Json>>;

/** The refusals of all operations. Those with the same kinds share a component. */
export class Refusals {
  readonly components: Record<string, Json> = {};

  /** The responses for refusals, as references to components. */
  of(refusals: readonly Refusal[]): Responses {
    const byStatus = Map.groupBy(new Set(refusals), (refusal) => meaningOf(refusal).status);
    return Object.fromEntries([...byStatus].map(([status, all]) => {
      const kinds = all.map((refusal) => typeof refusal === "number" ? INVALID : refusal).sort();
      const name = [status, ...kinds].join("-");
      this.components[name] ??= responseOf(kinds, all.map(meaningOf));
      return [status, { $ref: componentPath("responses", name) }];
    }));
  }

  /** Responses without their content, as HEAD has them. It has no ranges (RFC 9110, 14.2). */
  withoutContent(responses: Responses): Responses {
    const kept = Object.entries(responses).filter(([status]) => !["206", "416"].includes(status));
    return Object.fromEntries(kept.map(([status, { $ref, ...stated }]) => {
      const name = typeof $ref === "string"
        ? $ref.slice(componentPath("responses", "").length)
        : "";
      const { content: _, ...rest } = this.components[name] ?? stated;
      return [status, rest];
    }));
  }
}

const INVALID: ErrorKind = "ErrResourcesInvalidRequest";

function meaningOf(refusal: Refusal): Meaning {
  return typeof refusal === "number"
    ? { status: refusal, ...OTHER_STATUSES[refusal] }
    : REFUSALS[refusal];
}

function responseOf(kinds: readonly ErrorKind[], meanings: readonly Meaning[]): Json {
  const always = meanings.flatMap(({ headers = [] }) => headers);
  const sometimes = meanings.flatMap(({ optionalHeaders = [] }) => optionalHeaders);
  const all = new Set(always);
  const isAlways = (name: HeaderName) =>
    meanings.every(({ headers = [] }) => headers.includes(name));
  return {
    ...jsonResponse(meanings.map(({ when }) => `${when}.`).join(" "), {
      allOf: [
        { $ref: componentPath("schemas", "Error") },
        { properties: { code: { enum: kinds } } },
      ],
    }),
    headers: headersOf(
      [...all].filter(isAlways),
      [...[...all].filter((name) => !isAlways(name)), ...sometimes],
    ),
  };
}
