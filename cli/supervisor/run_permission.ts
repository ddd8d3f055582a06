import { UsageError } from "../usage_error.ts";

/** The tasks that run commands with the permissions that they need. */
const TASKS: Readonly<Record<string, string>> = { serve: "start", scan: "scan" };

/**
 * Checks that this process may start scanner processes.
 *
 * @throws {UsageError} when this process may not run programs, and so cannot start scanner processes.
 */
export function assertMayRunPrograms(command: string): void {
  if (Deno.permissions.querySync({ name: "run" }).state === "granted") return;
  throw new UsageError(
    "Scans run in processes, which takes the permission to run programs: " +
      `use deno task ${TASKS[command] ?? command}, or set STRONGROOM_SCAN_ISOLATION=thread`,
  );
}
