/** Something the person at the command line can put right; told in one line. */
export class UsageError extends Error {}

/**
 * Has a failure name the setting that it comes from, its value and what is allowed (C 13).
 *
 * @throws {UsageError} where the work fails.
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
