import type { Remote } from "../threads/rpc.ts";

/** Longer than any part of a listing takes, but for the sorting of a long one. */
const PATIENCE_MS = 200;
/** How long the second thread has the calls once the first one has kept one waiting. */
const RELIEF_MS = 60_000;

/** A thread that is called. */
export interface CalledThread<T> {
  readonly calls: Remote<T>;
  /** Starts it, unless it runs. Resolves when it has started. */
  started(): Promise<void>;
}

export interface PatientCallsOptions {
  /** How long to wait for the first thread, in milliseconds. @default 200 */
  readonly patienceMs?: number;
}

/**
 * Calls to a thread that has other work, too. One that has no reply in time is repeated on a second thread,
 * which then has the calls of the next minute. So the second thread, with its memory, is needed only while the
 * first one is at long work. The calls must change nothing, and have the same results on both.
 * See docs/design/threads.md.
 */
export function patientCalls<T extends object>(
  first: CalledThread<T>,
  second: CalledThread<T>,
  { patienceMs = PATIENCE_MS }: PatientCallsOptions = {},
): Remote<T> {
  let relievedUntil = 0;
  return new Proxy({} as Remote<T>, {
    get: (_, method) => async (...args: readonly unknown[]) => {
      const on = ({ calls }: CalledThread<T>) => Reflect.get(calls, method)(...args);
      if (performance.now() < relievedUntil) return await on(second);
      // On a busy machine, a start takes longer than a call may.
      await first.started();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(() => late.resolve(), patienceMs);
      const reply = on(first).then((result: unknown) => ({ result }));
      try {
        const inTime = await Promise.race([reply, late.promise]);
        if (inTime !== undefined) return inTime.result;
      } finally {
        clearTimeout(timer);
      }
      relievedUntil = performance.now() + RELIEF_MS;
      return await on(second);
    },
  });
}
