/**
 * `deno task start` and `deno task cli`: runs the program with the permissions that the settings need,
 * and no others. The program itself must not run programs, as a program can do anything. This launcher
 * may: it supervises a server, and starts any other command.
 */

import { backupArguments } from "../backup_arguments.ts";
import { loadSettings, printError } from "../environment.ts";
import { existingDirectory } from "../existing_directory.ts";
import { copyPermissions, type Permissions, permissionsFor } from "../permissions.ts";
import { signalChild } from "./child_process.ts";
import { programArguments } from "./program.ts";
import { onStopSignals } from "./signals.ts";
import { supervise } from "./supervise.ts";

/** Runs a command of the program to its end. Returns its exit code. */
async function launch(args: readonly string[]): Promise<number> {
  const [command, ...others] = args;
  if (command === "serve") return await supervise(others);
  using program = programArguments({ permissions: permissionsOf(args) });
  const child = new Deno.Command(Deno.execPath(), {
    args: [...program.args, ...args],
    // A terminal signals a whole process group. Outside of it, the child receives signals once, from here.
    detached: true,
  }).spawn();
  onStopSignals((signal) => signalChild(child, signal));
  return (await child.status).code;
}

function permissionsOf([command, ...args]: readonly string[]): Permissions | "all" {
  const settings = loadSettings();
  const { dataDir } = settings;
  const permissions = permissionsFor(settings);
  switch (command) {
    case "backup":
      return copyPermissions(dataDir, backupArguments(args).directory);
    case "restore":
      return copyPermissions(backupArguments(args).directory, dataDir);
    case "capacity":
      // Before a server ever ran, the free space of the disk is that of a directory above.
      return { ...permissions, read: [...permissions.read, existingDirectory(dataDir)] };
    case "scan":
      // It starts scanner processes.
      return "all";
    default:
      return permissions;
  }
}

if (import.meta.main) {
  try {
    Deno.exit(await launch(Deno.args));
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    Deno.exit(2);
  }
}
