/** A mistake that the person at the command line can correct. Printed as one line; exit code 2. */
export class UsageError extends Error {}

/**
 * Runs `work`. Its failure names the setting, the value and what is expected (C 13).
 *
 * @throws {UsageError} when `work` throws.
 */
export async function withSettingContext<T>(
  setting: string,
  value: string,
  expected: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Invalid ${setting} "${value}": expected ${expected} (${reason})`;
    throw new UsageError(message, { cause: error });
  }
}
