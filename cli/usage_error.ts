/** A mistake that the person at the command line can correct. Printed as one line; exit code 2. */
export class UsageError extends Error {}

/**
 * Checks that a command that takes no arguments gets none. Loads no module of Node, unlike
 * `parseOptions`, which would take most of the time in which the runtime starts.
 *
 * @throws {UsageError} when there is an argument.
 */
export function expectNoArguments([given]: readonly string[]): void {
  if (given === undefined) return;
  const kind = given.startsWith("-") ? "option" : "argument";
  throw new UsageError(`Unknown ${kind} ${given}: this command takes none`);
}

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
    const message = `Invalid ${setting} "${value}": expected ${expected} (${reasonOf(error)})`;
    throw new UsageError(message, { cause: error });
  }
}

/** What went wrong. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Deno.errors.NotCapable)) return error.message;
  // The program starts with the permissions that its settings need: more of them are not the way out.
  const [access = ""] = error.message.split(", run again with the --allow-");
  return access.replace(/^Requires /, "permission denied: ");
}

/** Why something failed: `permission denied`, without the number of the error and the name of the call. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  const reason = /^([^(]+) \(os error \d/.exec(message)?.[1];
  return reason === undefined ? message : reason.charAt(0).toLowerCase() + reason.slice(1);
}
