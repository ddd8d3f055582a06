import { RetryLater } from "../../core/errors.ts";
import { storageFull } from "../disk/storage_full.ts";

/** What PostgreSQL could not do, by its SQLSTATE. */
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const FOREIGN_KEY_VIOLATION = "23503";
const QUERY_CANCELED = "57014";
const DISK_FULL = "53100";
const IDLE_TOO_LONG = "25P03";
const READ_ONLY = "25006";
/** The engine is short of something: memory, connections, locks (class 53). */
const INSUFFICIENT_RESOURCES = "53";
/** Shutdowns, crashes, too many connections, and all problems of connections (class 08). */
const AWAY: ReadonlySet<string> = new Set(["57P01", "57P02", "57P03", "57P05", "53300"]);

/** The constraints that the content of records, and of what tags name, has a row. */
const CONTENT_OF_RECORD: ReadonlySet<unknown> = new Set([
  "records_hash_fkey",
  "tagged_records_hash_fkey",
]);
/** What refuses changes of what a large change has, as if it were a constraint. */
const LARGE_CHANGES = "large_changes";

/** Errors of the network. */
const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** What pg says when others have had all connections for too long. */
const BUSY_MESSAGE = "timeout exceeded when trying to connect";
/** What pg says without a code, of a connection that is gone or cannot be had. */
const CONNECTION_MESSAGES: readonly string[] = [
  "Connection terminated",
  "Client has encountered a connection error",
  "Client was closed",
  BUSY_MESSAGE,
  "timeout expired",
];

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

/**
 * Whether a transaction failed only because of others at the same time, so that its work can run again:
 * as they could not be put in an order, waited for each other, or removed content that it shared.
 */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED) return true;
  return code === FOREIGN_KEY_VIOLATION && error instanceof Error &&
    "constraint" in error && CONTENT_OF_RECORD.has(error.constraint);
}

/** The number of the large change that changes the same records, if that is why a transaction has failed. */
export function busyChange(error: unknown): string | undefined {
  if (codeOf(error) !== SERIALIZATION_FAILURE || !(error instanceof Error)) return undefined;
  const isLarge = "constraint" in error && error.constraint === LARGE_CHANGES;
  return isLarge && "detail" in error ? String(error.detail) : undefined;
}

/** Whether the engine has failed: its transaction has ended, whatever the work does about it. */
export function isEngineFailure(error: unknown): boolean {
  return error instanceof Error && "severity" in error || isDisconnected(error);
}

/** Whether the connection is gone, or could not be made. */
export function isDisconnected(error: unknown): boolean {
  const code = codeOf(error);
  if (AWAY.has(code) || NETWORK_CODES.has(code) || code.startsWith("08")) return true;
  return error instanceof Error &&
    CONNECTION_MESSAGES.some((message) => error.message.startsWith(message));
}

/** Whether no connection became free in time. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message === BUSY_MESSAGE;
}

/** Whether the engine only reads: it is a standby, or an operator has made it so. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/** Whether a pooler has refused the settings of a connection. */
export function isPooler(error: unknown): boolean {
  const { cause = error } = error instanceof Error ? error : {};
  return cause instanceof Error && cause.message.startsWith("unsupported startup parameter");
}

/** The error of a connection that has led to a standby. */
export function standbyError(): Error {
  return Object.assign(new Error("the database server is a standby"), { code: READ_ONLY });
}

/** Whether the engine cannot read what it has stored: its files are damaged, missing or unreadable. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith("XX0") || code.startsWith("58");
}

/** The error that callers see for a failure of the engine. Returns others unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (isBusy(error)) {
    return unavailable("all connections are in use", error);
  }
  if (isDisconnected(error)) return unreachable(error);
  if (isReadOnly(error)) return unavailable("it is read-only", error);
  if (isTransient(error)) return unavailable("others change the same data", error);
  const code = codeOf(error);
  if (code === QUERY_CANCELED || code === IDLE_TOO_LONG) {
    return unavailable("it took too long", error);
  }
  if (code === DISK_FULL) return storageFull(error);
  if (code.startsWith(INSUFFICIENT_RESOURCES)) return unavailable("it is overloaded", error);
  return error;
}

/** The error that callers see when no connection can be had, whatever the reason. */
export function unreachable(error: unknown): RetryLater {
  return unavailable("it cannot be reached", error);
}

/** The error that an operator sees, with what the engine or the system says. */
export function withCause(error: unknown): unknown {
  if (!(error instanceof RetryLater && error.cause instanceof Error)) return error;
  return new Error(`${error.message} (${error.cause.message})`, { cause: error.cause });
}

function unavailable(reason: string, cause: unknown): RetryLater {
  const error = new RetryLater("ErrUnavailable", `Cannot use the database: ${reason}`, 1);
  return Object.assign(error, { cause });
}
