import { ConnectionLost, RemoteError } from "./remote_error.ts";

/** The waits before the second attempt and the following ones. */
const WAITS_MS: readonly number[] = [250, 500, 1000, 2000, 4000];
/** The longest wait that a server may ask for. */
const MAX_WAIT_MS = 60_000;

export interface RetryOptions {
  /** Whether the request may be repeated when the server may have carried it out already. */
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  /** A mark of how far the work came. Attempts that went further do not count. @default none */
  readonly position?: () => number;
}

/**
 * Runs work until it succeeds, some times at most. Only what may pass is tried again: a server that is
 * busy or says when to try again, and a connection that broke.
 *
 * @throws {unknown} what the last attempt threw.
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  { isRepeatable, signal, position = () => 0 }: RetryOptions,
): Promise<T> {
  let failures = 0;
  let reached = position();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (position() > reached) failures = 0;
      reached = position();
      const wait = waitAfter(error, WAITS_MS[failures++], isRepeatable);
      if (wait === undefined) throw error;
      await sleep(wait, signal);
    }
  }
}

/** How long to wait before the next attempt. Undefined if there must not be one. */
function waitAfter(
  error: unknown,
  wait: number | undefined,
  isRepeatable: boolean,
): number | undefined {
  if (wait === undefined) return undefined;
  if (error instanceof ConnectionLost) return isRepeatable ? wait : undefined;
  const isBusy = error instanceof RemoteError &&
    // The gate says when to try again while a scan is pending (C 18).
    ([429, 503].includes(error.status) || error.retryAfterS !== undefined);
  return isBusy
    ? Math.min(MAX_WAIT_MS, Math.max(wait, 1000 * (error.retryAfterS ?? 0)))
    : undefined;
}

/** Resolves after a time, and rejects when the signal is aborted. */
async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal?.reason);
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
