/** How to start this program: from its checkout by the runtime, or as the compiled executable. */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { WORKERS } from "../../storage/threads/workers.ts";
import { FIXED_FLAGS, hasComma, permissionFlags, type Permissions } from "../permissions.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Flags for a program that {@link cacheProgram} has cached: it can fetch nothing from a registry while it
 * runs, not even the description of a package, whose name could carry data away.
 */
export const CACHED_ONLY: readonly string[] = ["--cached-only"];

/** Makes the runtime fetch the packages that the server and its scanners import, if they are not cached. */
export async function cacheProgram(): Promise<void> {
  if (Deno.build.standalone) return;
  const modules = [
    `${ROOT}main.ts`,
    `${ROOT}cli/scanner.ts`,
    ...Object.values(WORKERS).map((module) => fileURLToPath(module)),
  ];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", `--config=${ROOT}deno.json`, ...modules],
    stdin: "null",
    stdout: "null",
  }).spawn().status;
  if (code !== 0) throw new Error("Cannot fetch the packages of the program");
}

/** Arguments for the runtime, valid until disposed of. */
export interface ProgramArguments extends Disposable {
  readonly args: readonly string[];
}

export interface ProgramOptions {
  readonly permissions: Permissions | "all";
  /** Flags for the runtime besides permissions. @default none */
  readonly runtimeFlags?: readonly string[];
  /** Permissions that do not depend on the settings, as flags. @default FIXED_FLAGS */
  readonly fixedFlags?: readonly string[];
  /** The file that is run, below the root. @default "main.ts" */
  readonly entry?: string;
}

/**
 * The arguments with which the runtime runs this program with these permissions. The permissions of a
 * compiled executable are fixed: it gives up itself what it does not need.
 */
export function programArguments(options: ProgramOptions): ProgramArguments {
  const { permissions, runtimeFlags = [], fixedFlags, entry = "main.ts" } = options;
  if (Deno.build.standalone) return { args: [], [Symbol.dispose]: () => {} };
  const { args, [Symbol.dispose]: dispose } = permissionArguments(permissions, fixedFlags);
  return {
    args: ["run", "--no-prompt", "--deny-import", ...runtimeFlags, ...args, `${ROOT}${entry}`],
    [Symbol.dispose]: dispose,
  };
}

/**
 * The permissions as flags or, where flags cannot express a path, as a permission set in a temporary
 * configuration file.
 */
function permissionArguments(
  permissions: Permissions | "all",
  fixedFlags = FIXED_FLAGS,
): ProgramArguments {
  if (permissions === "all") return { args: ["--allow-all"], [Symbol.dispose]: () => {} };
  if (!hasComma(permissions)) {
    return { args: permissionFlags(permissions, fixedFlags), [Symbol.dispose]: () => {} };
  }
  const file = Deno.makeTempFileSync({ prefix: "strongroom-", suffix: ".json" });
  const { net, read, write } = permissions;
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(path));
  Deno.writeTextFileSync(
    file,
    JSON.stringify({
      imports: config.imports,
      unstable: config.unstable,
      lock: { path: `${ROOT}deno.lock`, frozen: true },
      permissions: {
        strongroom: { net, read: absolute(read), write: absolute(write) },
      },
    }),
  );
  return {
    args: [`--config=${file}`, "--permission-set=strongroom", ...fixedFlags],
    [Symbol.dispose]: () => Deno.removeSync(file),
  };
}
