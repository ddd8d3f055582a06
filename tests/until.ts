/** Waits for something that happens by itself; a test that waits in vain is ended by its runner. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
