/** The command line: picks a command and runs it. */

import { printError } from "./cli/environment.ts";
import { UsageError } from "./cli/usage_error.ts";

interface Command {
  /** Runs the command and returns the exit code of the process. */
  run(args: string[]): Promise<number> | number;
}

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: () => import("./cli/serve/serve.ts"),
  token: () => import("./cli/token/token.ts"),
  scan: () => import("./cli/scan/scan.ts"),
  rules: () => import("./cli/scan/rules.ts"),
  scanners: () => import("./cli/scan/scanners.ts"),
  scanner: () => import("./cli/scanner.ts"),
  capacity: () => import("./cli/capacity.ts"),
  check: () => import("./cli/check/check.ts"),
  backup: () => import("./cli/backup/backup.ts"),
  restore: () => import("./cli/backup/restore.ts"),
  config: () => import("./cli/config.ts"),
  permissions: () => import("./cli/permissions.ts"),
  help: () => import("./cli/help.ts"),
  version: () => import("./cli/version.ts"),
};
/** For these, 1 means that they have found something (C 16, C 22). */
const FAIL_WITH_2: ReadonlySet<string> = new Set(["scan", "check", "backup", "restore"]);
const FLAGS = new Map([["--help", "help"], ["-h", "help"], ["--version", "version"]]);

async function main([given = "help", ...args]: string[]): Promise<number> {
  const name = FLAGS.get(given) ?? given;
  try {
    const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (load === undefined) throw new UsageError(`Unknown command "${name}"; try strongroom help`);
    const command = await load();
    return await command.run(args);
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    const isUsage = error instanceof UsageError || error instanceof RangeError;
    return isUsage || FAIL_WITH_2.has(name) ? 2 : 1;
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
