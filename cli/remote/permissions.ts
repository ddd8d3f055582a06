import { userDirectory } from "../environment.ts";
import { namesOf, type Permissions } from "../permissions.ts";
import { findLogin } from "./find_login.ts";
import { loginUrl } from "./login.ts";
import { apiUrl, urlAuthority } from "./server_url.ts";

/** The commands that use a server by its API (C 25). */
export const REMOTE_COMMANDS = [
  ...["login", "logout"] as const,
  ...["ls", "tree", "stat", "mkdir", "mv", "cp", "rm", "events", "link"] as const,
] as const;
export type RemoteCommand = typeof REMOTE_COMMANDS[number];

export function isRemoteCommand(name: string | undefined): name is RemoteCommand {
  return REMOTE_COMMANDS.some((it) => it === name);
}

/**
 * What a command that uses a server needs: that server, and the files that its arguments name.
 *
 * @throws {UsageError} when no server is known, or the arguments are invalid.
 */
export async function remotePermissions(
  command: RemoteCommand,
  args: readonly string[],
): Promise<Permissions> {
  const config = namesOf(userDirectory("config"));
  switch (command) {
    case "login":
      return { net: [urlAuthority(loginUrl(args))], read: config, write: config };
    case "logout":
      return { net: [], read: config, write: config };
    default:
      return await serverPermissions();
  }
}

/**
 * What it takes to use the server.
 *
 * @throws {UsageError} when none is known.
 */
export async function serverPermissions(): Promise<Permissions> {
  const { url } = await findLogin();
  return {
    net: [urlAuthority(apiUrl(url, "URL of the server"))],
    read: namesOf(userDirectory("config")),
    write: [],
  };
}
