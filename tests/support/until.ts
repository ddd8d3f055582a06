/** Longest wait of a test, enough for a slow machine. */
const MAX_WAIT_MS = 120_000;

/**
 * Waits until the condition holds.
 *
 * @throws {Error} when it does not within {@link MAX_WAIT_MS}.
 */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!await condition()) {
    if (Date.now() - started > MAX_WAIT_MS) throw new Error(`Timed out waiting for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
