/**
 * `deno task start` and `deno task cli`: runs the program with the permissions that the settings need,
 * and no others. The program itself must not run programs, as a program can do anything. This launcher
 * may, and does nothing else.
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { backupArguments } from "./backup_arguments.ts";
import { loadSettings, printError } from "./environment.ts";
import { existingDirectory } from "./existing_directory.ts";
import {
  copyPermissions,
  FIXED_FLAGS,
  hasComma,
  permissionFlags,
  type Permissions,
  permissionsFor,
} from "./permissions.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FORWARDED_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;
/** A signal may come twice, from the terminal and from `deno task`. A person is slower than this. */
const SAME_SIGNAL_MS = 100;

/** Runs a command of the program to its end. Returns its exit code. */
async function launch(args: readonly string[]): Promise<number> {
  const [command] = args;
  const serves = command === "serve";
  using permissions = permissionArguments(permissionsOf(args));
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      ...serves ? ["--v8-flags=--max-semi-space-size=1"] : [],
      ...permissions.args,
      `${ROOT}main.ts`,
      ...args,
      ...serves ? ["--until-stdin-ends"] : [],
    ],
    // The server's stdin ends when this process does, even if it is killed.
    stdin: serves ? "piped" : "inherit",
    // A terminal signals a whole process group. Outside of it, the child receives signals once, from here.
    detached: true,
  }).spawn();
  forwardSignals(child);
  return (await child.status).code;
}

function permissionsOf([command, ...args]: readonly string[]): Permissions {
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
    default:
      return permissions;
  }
}

/** Arguments of `deno run`, valid until disposed of. */
interface PermissionArguments extends Disposable {
  readonly args: readonly string[];
}

/**
 * The permissions as flags or, where flags cannot express a path, as a permission set in a temporary
 * configuration file.
 */
function permissionArguments(permissions: Permissions): PermissionArguments {
  if (!hasComma(permissions)) {
    return { args: permissionFlags(permissions), [Symbol.dispose]: () => {} };
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
    args: [`--config=${file}`, "--permission-set=strongroom", ...FIXED_FLAGS],
    [Symbol.dispose]: () => Deno.removeSync(file),
  };
}

function forwardSignals(child: Deno.ChildProcess): void {
  const forwardedAt = new Map<Deno.Signal, number>();
  for (const signal of FORWARDED_SIGNALS) {
    Deno.addSignalListener(signal, () => {
      const now = performance.now();
      if (now - (forwardedAt.get(signal) ?? -Infinity) < SAME_SIGNAL_MS) return;
      forwardedAt.set(signal, now);
      try {
        child.kill(signal);
      } catch (error) {
        const hasEnded = error instanceof TypeError || error instanceof Deno.errors.NotFound;
        if (!hasEnded) throw error;
      }
    });
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
