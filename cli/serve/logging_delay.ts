import type { Log } from "../../core/log.ts";

const INTERVAL_MS = 5000;

/** Runs work of the start, and logs every few seconds that it still does, and since when. */
export async function loggingDelay<T>(
  log: Log,
  message: string,
  work: () => Promise<T>,
  intervalMs = INTERVAL_MS,
): Promise<T> {
  const started = performance.now();
  const timer = setInterval(() => {
    log.info(message, { seconds: Math.round((performance.now() - started) / 1000) });
  }, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
