/** The command line: picks a command and runs it. */

import { type CommandName, COMMANDS, isCommand } from "./cli/commands.ts";
import { suggestion } from "./cli/nearest.ts";
import { printError } from "./cli/print_error.ts";
import { messageOf, UsageError } from "./cli/usage_error.ts";

interface Command {
  /** Runs the command and returns the exit code of the process. */
  run(args: string[]): Promise<number> | number;
}

export const LOADERS: Readonly<Record<CommandName, () => Promise<Command>>> = {
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
  migrate: () => import("./cli/migrate/migrate.ts"),
  login: () => import("./cli/remote/login.ts"),
  logout: () => import("./cli/remote/logout.ts"),
  put: () => import("./cli/transfer/put.ts"),
  get: () => import("./cli/transfer/get.ts"),
  sync: () => import("./cli/transfer/sync.ts"),
  cat: () => import("./cli/transfer/cat.ts"),
  ls: () => import("./cli/remote/ls.ts"),
  tree: () => import("./cli/remote/tree.ts"),
  find: () => import("./cli/remote/find.ts"),
  stat: () => import("./cli/remote/stat.ts"),
  usage: () => import("./cli/remote/usage.ts"),
  mkdir: () => import("./cli/remote/mkdir.ts"),
  mv: () => import("./cli/remote/mv.ts"),
  cp: () => import("./cli/remote/cp.ts"),
  rm: () => import("./cli/remote/rm.ts"),
  events: () => import("./cli/remote/events.ts"),
  link: () => import("./cli/remote/link.ts"),
  config: () => import("./cli/config.ts"),
  permissions: () => import("./cli/permissions.ts"),
  completion: () => import("./cli/completion.ts"),
  help: () => import("./cli/help.ts"),
  version: () => import("./cli/version.ts"),
};
/** For these, 1 means that they have found something (C 16, C 22). */
const FAIL_WITH_2: ReadonlySet<string> = new Set(["scan", "check", "backup", "restore", "migrate"]);
const FLAGS = new Map([["--help", "help"], ["-h", "help"], ["--version", "version"]]);

async function main([given = "help", ...args]: string[]): Promise<number> {
  const name = FLAGS.get(given) ?? given;
  try {
    if (!isCommand(name)) {
      const similar = suggestion(name, Object.keys(COMMANDS));
      throw new UsageError(`Unknown command "${name}"${similar}; try strongroom help`);
    }
    if (asksForHelp(args)) return (await import("./cli/help.ts")).run([name]);
    const own = usesServer(name, args) ? await trustCacert(args) : args;
    if (isNarrowed(name, args) && mayRunPrograms()) {
      const { launch } = await import("./cli/supervisor/launch.ts");
      return await launch(name, own);
    }
    const command = await LOADERS[name]();
    return await command.run(own);
  } catch (error) {
    printError(messageOf(error));
    const isUsage = error instanceof UsageError || error instanceof RangeError;
    return isUsage || FAIL_WITH_2.has(name) ? 2 : 1;
  }
}

/** Whether `--help` or `-h` is among the options. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).some((it) => it === "--help" || it === "-h");
}

/** Whether a command sends requests to a server. */
function usesServer(name: CommandName, args: readonly string[]): boolean {
  return ["login", "server", "transfer"].includes(COMMANDS[name]) ||
    name === "scan" && args.includes("--remote");
}

/** The arguments without `--cacert`, which all commands that use a server have. */
async function trustCacert(args: readonly string[]): Promise<string[]> {
  const { giveCacert, withoutCacert } = await import("./cli/remote/authority.ts");
  const { rest, cacert } = withoutCacert(args);
  giveCacert(cacert);
  return rest;
}

/** Whether a command runs in a process with fewer permissions. A scan by a server starts no scanners. */
function isNarrowed(name: CommandName, args: readonly string[]): boolean {
  return COMMANDS[name] !== "all" || (name === "scan" && args.includes("--remote"));
}

/** Whether this process may do anything. The permissions of a compiled executable cannot be narrowed. */
function mayRunPrograms(): boolean {
  return !Deno.build.standalone && Deno.permissions.querySync({ name: "run" }).state === "granted";
}

if (import.meta.main) Deno.exit(await main(Deno.args));
