import type { Context } from "hono";
import type { Chunk } from "../../core/content.ts";
import { AppError, RetryLater } from "../../core/errors.ts";
import { asError, type Log } from "../../core/log.ts";
import { type S3Code, S3Error } from "../../core/s3/s3_error.ts";
import { REFUSALS } from "../openapi/refusals.ts";
import type { Failure } from "../request/environment.ts";
import { errorFormOf, hasLfsForm, isDav, isGitLfs, isHub } from "./error_forms.ts";
import { encoded } from "./gzip.ts";
import { respond } from "./respond.ts";

/** The status logged and counted for a request whose client disconnected. HTTP defines none. */
const CLIENT_GONE = 499;

/** When to try again after the queue of scans was full. */
const RETRY_AFTER_S = "30";

const encoder = new TextEncoder();

/** A successful reply in the envelope (RS 1.5, C 2). */
export function success(c: Context, data: unknown, status: 200 | 201 | 202 = 200): Response {
  return json(c, status, { status: "success", data });
}

/** Like {@link success}, compressed if that pays. What it says must have no secret. */
export function compressed(c: Context, data: unknown): Response {
  const { body, headers } = encoded(
    c,
    encoder.encode(`${JSON.stringify({ status: "success", data })}\n`),
  );
  return successBytes(c, body, headers);
}

/** Like {@link success}, with the JSON of the whole envelope, and headers that say how it is encoded. */
export function successBytes(
  c: Context,
  bytes: Chunk,
  headers: Readonly<Record<string, string>>,
): Response {
  return jsonBytes(c, 200, bytes, headers);
}

export interface FailureOptions {
  /** @default the status of the kind */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the body has besides. @default nothing */
  readonly fields?: Readonly<Record<string, string>>;
  /** The code of Amazon S3 below its door. @default that of the kind */
  readonly s3Code?: S3Code | undefined;
}

/** A refusal in the envelope (C 2), or in another form below the hub (C 20). */
export function failure(
  c: Context,
  { kind, message, rule }: Failure,
  { status = REFUSALS[kind].status, headers = {}, fields, s3Code }: FailureOptions = {},
): Response {
  c.set("failure", { kind, message, rule });
  // A refusal has read no version.
  const { "X-Version": _version, ...added } = c.get("headers") ?? {};
  c.set("headers", added);
  const userAgent = c.req.header("User-Agent");
  const requestId = c.get("requestId");
  const refused = { kind, message, status, userAgent, s3Code, fields, requestId };
  const { text, headers: own, status: replied = status } = errorFormOf(c.req.path, refused);
  return jsonBytes(c, replied, encoder.encode(text), { ...own, ...headers });
}

/** The reply for what a handler threw. Anything but an {@link AppError} is logged as `ErrInternal`. */
export function failureOf(c: Context, error: unknown, log: Log): Response {
  if (error instanceof AppError) {
    if (error.kind === "ErrInternal") logInternal(c, error, log);
    return failure(c, error, {
      headers: headersOf(c, error),
      status: statusOf(c, error),
      s3Code: error instanceof S3Error ? error.code : undefined,
    });
  }
  // The client disconnected, which is not a failure of the server.
  if (c.req.raw.signal.aborted) return new Response(null, { status: CLIENT_GONE });
  logInternal(c, error, log);
  const message = `Internal error (request id ${c.get("requestId")})`;
  return failure(c, { kind: "ErrInternal", message });
}

/**
 * The status of an error. Clients of the hub wait for a scan if it is that of too many requests (C 31). Git
 * LFS would not show the reason then.
 */
function statusOf({ req: { path } }: Context, error: AppError): number {
  const isPending = error instanceof RetryLater && error.kind === "ErrResourcesQuarantined";
  return isPending && isHub(path) && !hasLfsForm(path) ? 429 : REFUSALS[error.kind].status;
}

/** The headers that go with an error. */
export function headersOf(c: Context, error: AppError): Record<string, string> {
  const { kind } = error;
  if (error instanceof RetryLater) return { "Retry-After": String(error.retryAfterS) };
  if (kind === "ErrAuthRequired") return { "WWW-Authenticate": challenge(c) };
  return kind === "ErrScansQueueFull" ? { "Retry-After": RETRY_AFTER_S } : {};
}

function logInternal(c: Context, error: unknown, log: Log): void {
  log.error("Request failed", {
    request: c.get("requestId"),
    error: asError(error),
  });
}

/** RFC 6750, 3: the error is named only if the request had a credential. */
function challenge(c: Context): string {
  if (isGitLfs(c.req.path)) return 'Basic realm="strongroom"';
  if (isDav(c.req.path)) return 'Basic realm="strongroom", charset="UTF-8"';
  const given = /^bearer\b/i.test(c.req.header("Authorization")?.trim() ?? "");
  return `Bearer realm="strongroom"${given ? ', error="invalid_token"' : ""}`;
}

function json(
  c: Context,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return jsonBytes(c, status, encoder.encode(`${JSON.stringify(body)}\n`), headers);
}

function jsonBytes(
  c: Context,
  status: number,
  bytes: Chunk,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return respond(c, c.req.method === "HEAD" ? null : bytes, status, {
    "Content-Type": "application/json",
    "Content-Length": String(bytes.length),
    ...headers,
  });
}
