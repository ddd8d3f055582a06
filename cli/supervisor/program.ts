/** How to start this program: from its checkout by the runtime, or as the compiled executable. */

import { resolve } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { IS_PACKAGED, PROGRAM_ROOT, programModule } from "../../storage/threads/program_modules.ts";
import { WORKERS } from "../../storage/threads/workers.ts";
import { FIXED_FLAGS, hasComma, permissionFlags, type Permissions } from "../permissions.ts";

/**
 * Flags for a program that {@link cacheProgram} has cached: it can fetch nothing from a registry while it
 * runs, not even the description of a package, whose name could carry data away.
 */
export const CACHED_ONLY: readonly string[] = ["--cached-only"];

/**
 * How V8 keeps the heaps of the server small, in the order of the flags: a small young generation, though not
 * of half the size, in which more than twice as much of 32 uploads at once grows old; an old generation that
 * is collected at one and a half times the size that it had, instead of up to four times; one copy of V8's built-in
 * code instead of one for each thread; and memory of threads that have ended is freed, which V8 would keep
 * for others, without an end if they need none.
 */
export const SERVER_V8_FLAGS =
  "--v8-flags=--max-semi-space-size=2,--heap-growing-percent=50,--no-short-builtin-calls,--no-memory-pool-share-memory-on-teardown";

/**
 * When the allocator of glibc gives memory of the server back, in bytes; others ignore it. By default,
 * it raises both thresholds to tens of MB once large blocks are freed, and then free memory between blocks
 * in use adds up to tens of MB, in two arenas less than in eight for each core. With lower thresholds, the
 * memory of each chunk of a download would be given back and taken anew: a quarter slower at 256 KiB.
 */
export const SERVER_MALLOC: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "524288",
  MALLOC_TRIM_THRESHOLD_: "1048576",
};

/** The flags for what `deno.json` says in a checkout. The package needs nothing from elsewhere. */
const CONFIGURATION_FLAGS: readonly string[] = IS_PACKAGED
  ? [
    ...["--no-config", "--no-lock", "--no-npm", "--no-remote"],
    ...config.unstable.map((feature) => `--unstable-${feature}`),
  ]
  : [];

/** Makes the runtime fetch the packages that the server and its scanners import, if they are not cached. */
export async function cacheProgram(): Promise<void> {
  if (Deno.build.standalone || IS_PACKAGED) return;
  const entries = ["main", "cli/scanner", "cli/lone_scanner"].map(programModule);
  const modules = [...entries, ...Object.values(WORKERS)];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "cache",
      "--quiet",
      `--config=${PROGRAM_ROOT}deno.json`,
      ...modules.map(({ href }) => href),
    ],
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
  /** The module that is run. @default "main" */
  readonly entry?: string;
}

/**
 * The arguments with which the runtime runs this program with these permissions. The permissions of a
 * compiled executable are fixed: it gives up itself what it does not need.
 */
export function programArguments(options: ProgramOptions): ProgramArguments {
  const { permissions, runtimeFlags = [], fixedFlags, entry = "main" } = options;
  if (Deno.build.standalone) return { args: [], [Symbol.dispose]: () => {} };
  const { args, [Symbol.dispose]: dispose } = permissionArguments(permissions, fixedFlags);
  return {
    args: [
      ...["run", "--no-prompt", "--deny-import", ...runtimeFlags, ...args],
      programModule(entry).href,
    ],
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
  if (permissions === "all" || !hasComma(permissions)) {
    const flags = permissions === "all"
      ? ["--allow-all"]
      : permissionFlags(permissions, fixedFlags);
    return { args: [...CONFIGURATION_FLAGS, ...flags], [Symbol.dispose]: () => {} };
  }
  const file = Deno.makeTempFileSync({ prefix: "strongroom-", suffix: ".json" });
  const { net, read, write } = permissions;
  const absolute = (paths: readonly string[]) => paths.map((path) => resolve(path));
  Deno.writeTextFileSync(
    file,
    JSON.stringify({
      ...!IS_PACKAGED && {
        imports: config.imports,
        lock: { path: `${PROGRAM_ROOT}deno.lock`, frozen: true },
      },
      unstable: config.unstable,
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
