import { dirname } from "node:path/posix";
import { parseArgs } from "node:util";
import type { CommandWith } from "../commands.ts";
import { urlAuthority } from "../../schemas/url_authority.ts";
import { userDirectory } from "../environment.ts";
import { namesOf } from "../../storage/disk/path_names.ts";
import type { Permissions } from "../permissions.ts";
import { givenCacert } from "./authority.ts";
import { findLogin } from "./find_login.ts";
import { loginUrl } from "./login.ts";
import { apiUrl } from "./server_url.ts";

/**
 * What `strongroom login` and `strongroom logout` need: the file of the login, and the server that it is for.
 *
 * @throws {UsageError} when the arguments are invalid.
 */
export function loginPermissions(
  command: CommandWith<"login">,
  args: readonly string[],
): Permissions {
  const config = namesOf(userDirectory("config"));
  const asksServer = command === "login" && !["list", "use"].includes(args[0] ?? "");
  const net = asksServer ? [urlAuthority(loginUrl(command, args))] : [];
  return { net, read: [...config, ...filesOf(givenCacert())], write: config };
}

/**
 * What it takes to use the server that the arguments of a command name, or else the default one.
 *
 * @throws {UsageError} when none is known.
 */
export async function serverPermissions(args: readonly string[]): Promise<Permissions> {
  const { values } = parseArgs({
    args: [...args],
    options: { server: { type: "string" } },
    // The command itself refuses what is unknown.
    strict: false,
  });
  const server = typeof values.server === "string" ? values.server : undefined;
  const { url, cacert } = await findLogin(server);
  return {
    net: [urlAuthority(apiUrl(url, "URL of the server"))],
    read: [...namesOf(userDirectory("config")), ...filesOf(cacert)],
    write: [],
  };
}

function filesOf(path: string | undefined): string[] {
  return path === undefined ? [] : namesOf(path);
}

/** The waivers of a scan that names none. */
const WAIVERS_FILE = "strongroom.toml";

/** What a scan by a server needs: that server, and the files of the report and of what is accepted. */
export async function remoteScanPermissions(args: readonly string[]): Promise<Permissions> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      output: { type: "string", short: "o" },
      baseline: { type: "string" },
      config: { type: "string" },
    },
    // The command itself refuses what is unknown.
    strict: false,
  });
  const pathsOf = (value: string | boolean | undefined) =>
    typeof value === "string" && value !== "" ? [value] : [];
  const config = values.config ?? WAIVERS_FILE;
  const read = [values.baseline, config].flatMap(pathsOf).flatMap(namesOf);
  // The report takes its name when it is whole.
  const write = pathsOf(values.output).map((path) => dirname(path)).flatMap(namesOf);
  const server = await serverPermissions(args);
  return { ...server, read: [...server.read, ...read, ...write], write };
}
