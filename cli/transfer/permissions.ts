import type { CommandWith } from "../commands.ts";
import { userDirectory } from "../environment.ts";
import { namesOf } from "../../storage/disk/path_names.ts";
import type { Permissions } from "../permissions.ts";
import { serverPermissions } from "../remote/permissions.ts";
import { copyArguments, directoryOf, syncArguments } from "./arguments.ts";

/**
 * What a transfer needs: the server, a place for its lists, and the directory that it copies to. What is
 * sent may be read wherever it is, as links lead anywhere.
 *
 * @throws {UsageError} when no server is known, or the arguments are invalid.
 */
export async function transferPermissions(
  command: CommandWith<"transfer">,
  args: readonly string[],
): Promise<Permissions> {
  const { net, read } = await serverPermissions(args);
  const state = namesOf(userDirectory("state"));
  const target = await targetOf(command, args);
  if (target === undefined) return { net, read: ["/"], write: state };
  const write = [...state, ...target === "-" ? [] : namesOf(target)];
  return { net, read: [...read, ...write], write };
}

/** The directory that is copied to; undefined if it is on the server. */
async function targetOf(
  command: CommandWith<"transfer">,
  args: readonly string[],
): Promise<string | undefined> {
  switch (command) {
    case "put":
      copyArguments(args);
      return undefined;
    case "get": {
      const given = copyArguments(args);
      return given.destination === "-" ? "-" : await directoryOf(given);
    }
    case "sync": {
      const { isUpload, destination } = syncArguments(args);
      return isUpload ? undefined : destination;
    }
  }
}
