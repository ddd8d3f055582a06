import { RetryLater } from "../../../core/errors.ts";
import { textsOf } from "./xml.ts";

/** After how many seconds clients may try again while the store is away. */
const RETRY_AFTER_S = 5;
/** Statuses of failures that pass. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** A request that a content store has refused or not answered. */
export class S3Failure extends Error {
  override readonly name = "S3Failure";
  /** Undefined without a reply. */
  readonly status: number | undefined;
  /** The code that the store gives, such as `NoSuchKey`; "" without one. */
  readonly code: string;

  constructor(
    message: string,
    { status, code = "", cause }: { status?: number; code?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

/** Whether a failure may pass by itself. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Failure)) return false;
  return error.status === undefined || TRANSIENT.has(error.status);
}

/** Whether the store says that there is no such object. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Failure && error.status === 404 && error.code !== "NoSuchBucket";
}

/** Statuses with which stores refuse what the credentials may not do, or they do not have. */
const REFUSED: ReadonlySet<number> = new Set([403, 405, 501]);

/** Whether the store does not do this for the credentials that it was asked with. */
export function isRefused(error: unknown): error is S3Failure {
  return error instanceof S3Failure && error.status !== undefined && REFUSED.has(error.status);
}

/**
 * The failure that a reply reports.
 *
 * @param text The body of the reply.
 * @param right The right that the request needs.
 */
export function failureOf(
  { status }: Response,
  { text, right }: { readonly text: string; readonly right: string },
): S3Failure {
  const [code = ""] = textsOf(text, "Code");
  const [message = ""] = textsOf(text, "Message");
  const reason = [code, message].filter((it) => it !== "").join(": ");
  const needed = REFUSED.has(status) ? `; it needs the right ${right}` : "";
  return new S3Failure(`The content store replied ${status}${reason && ` (${reason})`}${needed}`, {
    status,
    code,
  });
}

/**
 * Converts the failure of a store to what clients are told (C 2): they may try again. Returns other errors
 * unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof S3Failure)) return error;
  const message = "The content store cannot be used now";
  return Object.assign(new RetryLater("ErrUnavailable", message, RETRY_AFTER_S), { cause: error });
}

/** Throws what {@link asUnavailable} makes of an error. */
export function rethrowUnavailable(error: unknown): never {
  throw asUnavailable(error);
}
