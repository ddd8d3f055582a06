/**
 * Runs a command with the permissions that its settings need, and no others, in a process of its own:
 * no process can narrow its permissions to a path. `packaging/strongroom` does the same with one
 * process where flags can express the paths.
 * See docs/design/processes.md.
 */

import { secretFiles } from "../../schemas/settings.ts";
import { MODULE_DIRECTORIES } from "../../storage/threads/program_modules.ts";
import { namesOf } from "../../storage/disk/path_names.ts";
import { backupArguments } from "../backup_arguments.ts";
import {
  type Access,
  type CommandName,
  COMMANDS,
  type CommandWith,
  isLight,
  judgesFiles,
  restoresPast,
} from "../commands.ts";
import { DIRECTORY_VARIABLES, loadSettings, trustVariables } from "../environment.ts";
import { existingDirectory } from "../existing_directory.ts";
import { migrateArguments } from "../migrate_arguments.ts";
import {
  copyPermissions,
  enginesOf,
  FIXED_FLAGS,
  type Permissions,
  permissionsFor,
} from "../permissions.ts";
import { givenCacert } from "../remote/authority.ts";
import {
  loginPermissions,
  remoteScanPermissions,
  serverPermissions,
} from "../remote/permissions.ts";
import { transferPermissions } from "../transfer/permissions.ts";
import { signalChild } from "./child_process.ts";
import { programArguments } from "./program.ts";
import { onStopSignals } from "./signals.ts";

/** Of a command that asks a server. */
const REMOTE_FLAGS: readonly string[] = FIXED_FLAGS.map((it) =>
  it.startsWith("--allow-env=") ? [it, "TERM", ...DIRECTORY_VARIABLES].join() : it
);
/** Of the login, which is named after the machine. */
const LOGIN_FLAGS: readonly string[] = REMOTE_FLAGS.map((it) =>
  it.startsWith("--allow-sys=") ? `${it},hostname` : it
);
/** Of a command that can send nothing away. It reads the names of all variables to find mistyped ones. */
const LOCAL_FLAGS: readonly string[] = FIXED_FLAGS.map((it) =>
  it.startsWith("--allow-env=") ? "--allow-env" : it
);

/**
 * Runs a command of the program to its end. Returns its exit code.
 *
 * @throws {RangeError} when a setting is invalid.
 * @throws {UsageError} when the arguments of a backup are.
 */
export async function launch(name: CommandName, args: readonly string[]): Promise<number> {
  const permissions = await permissionsOf(name, args);
  const remoteFlags = name === "login" ? LOGIN_FLAGS : REMOTE_FLAGS;
  const fixedFlags = permissions.net.length > 0 ? remoteFlags : LOCAL_FLAGS;
  const cacert = givenCacert();
  const entry = isLight(name) ? "cli/light/main" : "main";
  using program = programArguments({ permissions, fixedFlags, entry });
  const child = new Deno.Command(Deno.execPath(), {
    args: [...program.args, name, ...cacert === undefined ? [] : [`--cacert=${cacert}`], ...args],
    env: permissions.net.length > 0 ? trustVariables() : {},
    // A terminal signals a whole process group. Outside of it, the child receives signals once, from here.
    detached: true,
  }).spawn();
  onStopSignals((signal) => signalChild(child, signal));
  return (await child.status).code;
}

/** What the servers of both strongrooms may use, but for their own ports and keys. */
async function migratePermissions(args: readonly string[]): Promise<Permissions> {
  const given = await migrateArguments(args);
  if (given === "finish") {
    const settings = loadSettings(() => {});
    const { databaseUrl, databaseUrlFile, databaseDirectUrl, databaseDirectUrlFile } = settings;
    const engines = enginesOf({
      ...{ databaseUrl, databaseUrlFile, databaseDirectUrl, databaseDirectUrlFile },
    });
    const read = [...MODULE_DIRECTORIES, ...secretFiles(settings).flatMap(namesOf)];
    return withEngines(engines, { read, write: [] });
  }
  const { from, to, files } = given;
  const both = [from, to].map((settings) =>
    permissionsFor({
      ...settings,
      jwtPublicKey: undefined,
      jwksUrl: undefined,
      oidcIssuer: undefined,
      mirrorUrl: undefined,
    })
  );
  return {
    net: both.flatMap(({ net }) => net),
    read: [...both.flatMap(({ read }) => read), ...files.flatMap(namesOf)],
    write: both.flatMap(({ write }) => write),
  };
}

function withEngines(
  engines: Pick<Permissions, "net" | "read">,
  { read, write }: Pick<Permissions, "read" | "write">,
): Permissions {
  return { net: engines.net, read: [...read, ...engines.read], write };
}

async function permissionsOf(name: CommandName, args: readonly string[]): Promise<Permissions> {
  if (isWith("login", name)) return await loginPermissions(name, args);
  if (isWith("server", name)) return await serverPermissions(args);
  if (isWith("transfer", name)) return await transferPermissions(name, args);
  if (name === "restore" && restoresPast(args)) return await serverPermissions(args);
  if (name === "policy" && judgesFiles(args)) return await serverPermissions(args);
  if (isWith("data", name)) return await dataPermissions(name, args);
  // Of the others, only a scan by a server is launched.
  return await remoteScanPermissions(args);
}

function isWith<Kind extends Access>(kind: Kind, name: CommandName): name is CommandWith<Kind> {
  return COMMANDS[name] === kind;
}

async function dataPermissions(
  name: CommandWith<"data">,
  args: readonly string[],
): Promise<Permissions> {
  if (name === "migrate") return await migratePermissions(args);
  // The command itself warns of settings.
  const settings = loadSettings(() => {});
  const { dataDir, databaseUrl, databaseDirectUrl } = settings;
  const { net, read, write } = permissionsFor({
    ...settings,
    jwtPublicKey: undefined,
    jwksUrl: undefined,
    oidcIssuer: undefined,
    mirrorUrl: undefined,
    contentUrl: undefined,
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
  });
  const secrets = { net: [], read: secretFiles(settings).flatMap(namesOf) };
  switch (name) {
    case "backup":
      return withEngines(secrets, copyPermissions(dataDir, backupArguments(args).directory));
    case "restore":
      return withEngines(secrets, copyPermissions(backupArguments(args).directory, dataDir));
    case "check":
    case "adopt":
      return withEngines(enginesOf(settings), { read, write });
    case "capacity":
      // Before a server ever ran, the free space of the disk is that of a directory above.
      return { net, read: [...read, await existingDirectory(dataDir)], write };
    case "token":
    case "user":
    case "team":
    case "invite":
      return withEngines(enginesOf({ databaseUrl, databaseDirectUrl }), { read, write });
    case "config":
    case "permissions":
    case "policy":
      return { net: [], read, write: [] };
  }
}
