/** Longest wait of a test, enough for a slow machine. */
export const MAX_WAIT_MS = 120_000;
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 250;
/** How long the pause between two checks is, as a multiple of what a check takes. */
const PAUSE_OF_CHECK = 3;

/**
 * Waits until the condition holds. A check that takes long, such as one that starts a program, is made less
 * often: it takes its time from what it waits for.
 *
 * @throws {Error} when it does not within {@link MAX_WAIT_MS}.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  for (;;) {
    const before = performance.now();
    if (await condition()) return;
    const now = performance.now();
    if (now - started > MAX_WAIT_MS) throw new Error(`Timed out waiting for ${condition}`);
    const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, PAUSE_OF_CHECK * (now - before)));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
