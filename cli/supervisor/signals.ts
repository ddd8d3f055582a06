/** What stops a server. SIGHUP makes it reload. */
export const SERVER_STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT"] as const;
const STOP_SIGNALS = [...SERVER_STOP_SIGNALS, "SIGHUP"] as const;
/** A signal may come twice, from the terminal and from `deno task`. A person is slower than this. */
const SAME_SIGNAL_MS = 100;

/** Handles stop signals instead of ending the process. */
export function onStopSignals(
  handle: (signal: Deno.Signal) => void,
  signals: readonly Deno.Signal[] = STOP_SIGNALS,
): void {
  const handledAt = new Map<Deno.Signal, number>();
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => {
      const now = performance.now();
      if (now - (handledAt.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return;
      handledAt.set(signal, now);
      handle(signal);
    });
  }
}
