import { UsageError } from "../usage_error.ts";

/**
 * Checks that this process may start scanner processes.
 *
 * @throws {UsageError} when this process may not run programs, and so cannot start scanner processes.
 */
export function assertMayRunPrograms(command: string): void {
  if (Deno.permissions.querySync({ name: "run" }).state === "granted") return;
  throw new UsageError(
    "Scans run in processes, which takes the permission to run programs: " +
      `use the command strongroom ${command}, or set STRONGROOM_SCAN_ISOLATION=thread`,
  );
}
