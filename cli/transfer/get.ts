import { basename } from "node:path/posix";
import { nameOf } from "../../core/paths.ts";
import { Connection } from "../remote/connection.ts";
import { remoteDirectory, remotePath } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { type CopyArguments, copyArguments, directoryOf, isName } from "./arguments.ts";
import type { Sources } from "./file_sets.ts";
import { statRemote } from "./remote_list.ts";
import { writeToStdout } from "./stdout.ts";
import { Throttle } from "../../core/throttle.ts";
import { transfer } from "./transfer.ts";

/** `strongroom get`: receives files and directories from a server (C 25). */
export async function run(args: string[]): Promise<number> {
  const given = copyArguments(args);
  if (given.destination === "-") return await getToStdout(given);
  const sources = sourcesOf(given);
  const connection = await Connection.open(given);
  const renamed = await renamedFile(given, sources, connection) ?? { sources };
  return await transfer(connection, { ...given, ...renamed, isUpload: false });
}

/** Where to store a single file whose destination is not a directory: under that name, as with `cp`. */
async function renamedFile(
  given: CopyArguments,
  sources: Sources,
  connection: Connection,
): Promise<{ readonly sources: Sources; readonly destination: string } | undefined> {
  const destination = await directoryOf(given);
  if (destination === given.destination) return undefined;
  const [path = ""] = sources.values();
  const found = await statRemote(connection, path);
  if (found === undefined || found.is_dir) return undefined;
  return { destination, sources: new Map([[basename(given.destination), path]]) };
}

/** What is received, by the name that it gets. */
function sourcesOf({ sources, name }: CopyArguments): Sources {
  const named = new Map<string, string>();
  for (const source of sources) {
    const path = remoteDirectory(source);
    const key = name ?? nameOf(path);
    if (!isName(key)) throw new UsageError(`"${source}" has no name: give it one with --name`);
    if (named.has(key)) throw new UsageError(`Two sources are named "${key}"`);
    named.set(key, path);
  }
  return named;
}

async function getToStdout(given: CopyArguments): Promise<number> {
  const [source = "", ...others] = given.sources.map(remotePath);
  if (others.length > 0) throw new UsageError("- is stdout, which takes one file");
  await writeToStdout(await Connection.open(given), source, new Throttle(given.maxRate));
  return 0;
}
