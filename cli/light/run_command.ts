import { type CommandName, COMMANDS, isCommand, usesServer } from "../commands.ts";
import { suggestion } from "../nearest.ts";
import { printError } from "../print_error.ts";
import { messageOf, UsageError } from "../usage_error.ts";

interface Command {
  /** Runs the command and returns the exit code of the process. */
  run(args: string[]): Promise<number> | number;
}

/** How to load commands. */
export type Loaders<Name extends CommandName = CommandName> = Readonly<
  Record<Name, () => Promise<Command>>
>;

/** For these, 1 means that they have found something (C 16, C 22). */
const FAIL_WITH_2: ReadonlySet<string> = new Set([
  "scan",
  "check",
  "backup",
  "restore",
  "migrate",
  "policy",
  "verify",
]);
const FLAGS = new Map([["--help", "help"], ["-h", "help"], ["--version", "version"]]);

/**
 * Runs the command that arguments name. Returns the exit code of the process.
 *
 * @param loaders The commands that this program has.
 */
export async function runCommand(
  loaders: Partial<Loaders>,
  [given = "help", ...args]: readonly string[],
): Promise<number> {
  const name = FLAGS.get(given) ?? given;
  try {
    const loader = isCommand(name) ? loaders[name] : undefined;
    if (!isCommand(name) || loader === undefined) {
      const similar = suggestion(name, Object.keys(COMMANDS));
      throw new UsageError(`Unknown command "${name}"${similar}; try strongroom help`);
    }
    if (asksForHelp(args)) return (await import("../help.ts")).run([name]);
    const own = usesServer(name, args) ? await trustCacert(args) : args;
    if (isNarrowed(name, args) && mayRunPrograms()) {
      const { launch } = await import("../supervisor/launch.ts");
      return await launch(name, own);
    }
    const command = await loader();
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

/** The arguments without `--cacert`, which all commands that use a server have. */
async function trustCacert(args: readonly string[]): Promise<string[]> {
  const { giveCacert, withoutCacert } = await import("../remote/authority.ts");
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
