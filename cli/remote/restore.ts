import { UsageError } from "../usage_error.ts";
import { printCount, readChanged } from "./changed_entries.ts";
import { Connection } from "./connection.ts";
import { remoteDirectory, remotePath, verbArguments, versionOption } from "./verb.ts";

/** The arguments of `strongroom restore`, for both of its forms. */
export function restoreArguments(args: readonly string[]) {
  return verbArguments(args, {
    at: { type: "string" },
    force: { type: "boolean", short: "f", default: false },
  });
}

/** `strongroom restore --at`: brings back what was at a path of a server (C 26). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given, destination, ...others] } = restoreArguments(args);
  const { force } = values;
  const at = versionOption("--at", values.at);
  if (given === undefined || at === undefined || others.length > 0) {
    throw new UsageError(
      "restore needs a path of a server, --at, and where to restore it if that is another place",
    );
  }
  const path = remotePath(given);
  const connection = await Connection.open(values);
  const target = destination === undefined ? undefined : destinationOf(destination);
  const count = await restorePath(connection, { path, at, destination: target, force }, values);
  if (!values.json) printCount("Restored", count);
  return 0;
}

/** A slash at the end says that it is a directory. */
function destinationOf(given: string): string {
  const path = remoteDirectory(given);
  return path !== "" && /[/\\]\s*$/.test(given) ? `${path}/` : path;
}

/** Restores what was at a path. Returns how many entries that are. */
export async function restorePath(
  connection: Connection,
  value: {
    readonly path: string;
    readonly at: string;
    readonly destination?: string | undefined;
    readonly force: boolean;
  },
  options: { readonly json: boolean },
): Promise<number> {
  const response = await connection.request("POST", "/resources/restore", {
    body: () => JSON.stringify(value),
    headers: { "Content-Type": "application/json" },
  });
  return await readChanged(response, options);
}
