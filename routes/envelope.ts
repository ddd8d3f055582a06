import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import { AppError, type ErrorKind } from "../core/errors.ts";
import { asError, type Log } from "../core/log.ts";

/** The status of each error kind (C 2); the one place that knows. */
const STATUS: Readonly<Record<ErrorKind, StatusCode>> = {
  ErrAuthRequired: 401,
  ErrNotPermitted: 403,
  ErrInternal: 500,
  ErrResourcesInvalidRequest: 400,
  ErrResourcesInvalidData: 400,
  ErrResourcesSharedPath: 400,
  ErrResourcesNotFound: 404,
  ErrResourcesAlreadyExists: 409,
  ErrResourcesConflict: 409,
  ErrScansNotFound: 404,
  ErrScansConflict: 409,
  ErrScansQueueFull: 429,
  ErrRouteNotFound: 404,
  ErrMethodNotAllowed: 405,
  ErrUnavailable: 503,
};

/** What a request is logged and counted as whose client went away, for want of a standard status. */
const CLIENT_GONE = 499;

/** When somebody whom a full queue turned away may come again, in seconds. */
const RETRY_AFTER_S = "30";

const encoder = new TextEncoder();

/** A reply with the payload in the envelope (RS 1.5, C 2). */
export function success(c: Context, data: unknown, status: 200 | 202 = 200): Response {
  return json(c, status, { status: "success", data });
}

export interface FailureOptions {
  /** Where the status is another than that of the kind. */
  readonly status?: StatusCode;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal in the envelope (C 2). */
export function failure(
  c: Context,
  { kind, message }: Pick<AppError, "kind" | "message">,
  { status = STATUS[kind], headers = {} }: FailureOptions = {},
): Response {
  return json(c, status, { status: "error", code: kind, msg: message }, headers);
}

/** The reply to whatever a handler threw. What is no refusal is logged and told as `ErrInternal`. */
export function failureOf(c: Context, error: unknown, log: Log): Response {
  if (error instanceof AppError) {
    if (error.kind === "ErrInternal") logInternal(c, error, log);
    return failure(c, error, { headers: headersOf(c, error.kind) });
  }
  // Nobody is left to hear it, and nothing has failed.
  if (c.req.raw.signal.aborted) return new Response(null, { status: CLIENT_GONE });
  logInternal(c, error, log);
  const message = `Something failed that should not have; it was logged under the request id ${
    c.get("requestId")
  }`;
  return failure(c, { kind: "ErrInternal", message });
}

/** The headers that the status of a kind asks for. */
function headersOf(c: Context, kind: ErrorKind): Record<string, string> {
  if (kind === "ErrAuthRequired") return { "WWW-Authenticate": challenge(c) };
  return kind === "ErrScansQueueFull" ? { "Retry-After": RETRY_AFTER_S } : {};
}

function logInternal(c: Context, error: unknown, log: Log): void {
  log.error("Request failed", {
    request: c.get("requestId"),
    error: asError(error),
  });
}

/** RFC 6750, part 3: the error is named only where a credential was given. */
function challenge(c: Context): string {
  const given = /^bearer\b/i.test(c.req.header("Authorization")?.trim() ?? "");
  return `Bearer realm="strongroom"${given ? ', error="invalid_token"' : ""}`;
}

function json(
  c: Context,
  status: StatusCode,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(`${JSON.stringify(body)}\n`);
  return c.newResponse(c.req.method === "HEAD" ? null : bytes, status, {
    "Content-Type": "application/json",
    "Content-Length": String(bytes.length),
    ...headers,
  });
}
