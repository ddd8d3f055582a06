import { COMMANDS, isCommand } from "../../cli/commands.ts";
import { ROOT, runArguments } from "./program.ts";
import { mintToken, type TestServer, USER_PRIVILEGES } from "./server.ts";
import type { ProgramOutput } from "./tools.ts";

export interface CommandOptions {
  /** @default nothing */
  readonly stdin?: string | Uint8Array<ArrayBuffer>;
  /** @default this checkout */
  readonly cwd?: string;
  /** Whether it has only the permissions that it needs. @default true */
  readonly narrow?: boolean;
}

/** Where the runtime finds the packages, wherever HOME is. */
const DENO_DIR = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;

/** The environment of a command of {@link RemoteClient}, besides its own variables. */
export const COMMAND_ENVIRONMENT = { DENO_DIR, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };

/** The permissions of a command that starts no other process, so that it can be killed by its pid. */
const WIDE = ["--allow-net", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];

/**
 * The permissions of a verb, as `packaging/strongroom` gives them: its server alone, or all where the launcher
 * is to find out in a process before it what the verb needs.
 */
function permissionsOf(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const { HOME: home, STRONGROOM_URL: url, STRONGROOM_TOKEN: token, ...others } = env;
  const [name = ""] = args;
  const isKnown = home !== undefined && url !== undefined && token !== undefined &&
    Object.keys(others).length === 0;
  if (!isKnown || !isCommand(name) || COMMANDS[name] !== "server") return ["-A"];
  if (args.some((it) => /^--(?:server|cacert)/.test(it))) return ["-A"];
  return [
    "--no-prompt",
    "--deny-import",
    "--allow-env=STRONGROOM_*,TERM,HOME,XDG_CONFIG_HOME,XDG_STATE_HOME",
    `--allow-net=${new URL(url).host}`,
    `--allow-read=${home}/.config/strongroom`,
  ];
}

/** The command line of somebody with a directory of their own for configuration and state. */
export class RemoteClient {
  constructor(readonly env: Readonly<Record<string, string>>) {}

  /** A client that the environment gives a server and a credential for it. */
  static async of(
    { origin }: Pick<TestServer, "origin">,
    home: string,
    { userId = 1, privileges = USER_PRIVILEGES, trees = {} }: Partial<
      Parameters<typeof mintToken>[0]
    > = {},
  ): Promise<RemoteClient> {
    const token = await mintToken({ userId, privileges, trees });
    return new RemoteClient({ HOME: home, STRONGROOM_URL: origin, STRONGROOM_TOKEN: token });
  }

  /** Starts a command with all its output piped. */
  spawn(
    args: readonly string[],
    { cwd = ROOT, narrow = true }: CommandOptions = {},
  ): Deno.ChildProcess {
    return new Deno.Command(Deno.execPath(), {
      args: runArguments(args, narrow ? permissionsOf(args, this.env) : WIDE),
      cwd,
      env: { ...COMMAND_ENVIRONMENT, ...this.env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], options: CommandOptions = {}): Promise<ProgramOutput> {
    const child = this.spawn(args, options);
    const input = options.stdin ?? "";
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const [output] = await Promise.all([
      child.output(),
      // A command that fails reads nothing.
      new Blob([bytes]).stream().pipeTo(child.stdin).catch(() => {}),
    ]);
    const decoder = new TextDecoder();
    return {
      code: output.code,
      stdout: decoder.decode(output.stdout),
      stderr: decoder.decode(output.stderr),
    };
  }
}
