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

/** The failure that a reply reports, the text of whose body is given. */
export function failureOf({ status }: Response, text: string): S3Failure {
  const [code = ""] = textsOf(text, "Code");
  const [message = ""] = textsOf(text, "Message");
  const reason = [code, message].filter((it) => it !== "").join(": ");
  return new S3Failure(`The content store replied ${status}${reason && ` (${reason})`}`, {
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
