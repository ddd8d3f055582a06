/** A mistake that the person at the command line can correct. Printed as one line; exit code 2. */
export class UsageError extends Error {}

/**
 * Runs `work`. Its failure names the setting, the value and what is allowed (C 13).
 *
 * @throws {UsageError} when `work` throws.
 */
export async function withSettingContext<T>(
  setting: string,
  value: string,
  allowed: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message =
      `Bad setting ${setting}: "${value}" is not allowed, only ${allowed} (${reason})`;
    throw new UsageError(message, { cause: error });
  }
}
