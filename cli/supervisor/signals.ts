const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;
/** A signal may come twice, from the terminal and from `deno task`. A person is slower than this. */
const SAME_SIGNAL_MS = 100;

/** Handles stop signals instead of ending the process. */
export function onStopSignals(handle: (signal: Deno.Signal) => void): void {
  const handledAt = new Map<Deno.Signal, number>();
  for (const signal of STOP_SIGNALS) {
    Deno.addSignalListener(signal, () => {
      const now = performance.now();
      if (now - (handledAt.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return;
      handledAt.set(signal, now);
      handle(signal);
    });
  }
}
