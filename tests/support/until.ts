/** How long a test waits, in milliseconds: long enough for the slowest machine, and then it fails. */
const DEADLINE_MS = 120_000;

/** Waits for something that happens by itself. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!await condition()) {
    if (Date.now() - started > DEADLINE_MS) throw new Error(`Waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
