import { nameOf } from "../../core/paths.ts";
import { Connection } from "../remote/connection.ts";
import { UsageError } from "../usage_error.ts";
import { type CopyArguments, copyArguments, isName, remotePath } from "./arguments.ts";
import type { Sources } from "./file_sets.ts";
import { writeToStdout } from "./stdout.ts";
import { Throttle } from "./throttle.ts";
import { transfer } from "./transfer.ts";

/** `strongroom get`: receives files and directories from a server (C 25). */
export async function run(args: string[]): Promise<number> {
  const given = copyArguments(args);
  if (given.destination === "-") return await getToStdout(given);
  return await transfer({ ...given, isUpload: false, sources: sourcesOf(given) });
}

/** What is received, by the name that it gets. */
function sourcesOf({ sources, name }: CopyArguments): Sources {
  const named = new Map<string, string>();
  for (const source of sources) {
    const path = remotePath(source);
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
