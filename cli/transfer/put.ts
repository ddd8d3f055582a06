import { basename, resolve } from "node:path/posix";
import { nameOf, parentOf } from "../../core/paths.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "../remote/connection.ts";
import { remoteDirectory } from "../remote/verb.ts";
import { type CopyArguments, copyArguments, isName, mayBeNewName } from "./arguments.ts";
import { below, type Sources } from "./file_sets.ts";
import { statRemote } from "./remote_list.ts";
import { Throttle } from "../../core/throttle.ts";
import { transfer } from "./transfer.ts";

/** `strongroom put`: sends files and directories to a server (C 25). */
export async function run(args: string[]): Promise<number> {
  const given = copyArguments(args);
  if (given.at !== undefined) throw new UsageError("--at is for what comes from a server");
  const destination = remoteDirectory(given.destination);
  if (given.sources.includes("-")) return await putStdin({ ...given, destination });
  const sources = sourcesOf(given);
  const connection = await Connection.open(given);
  const renamed = await renamedFile(given, destination, connection) ?? { sources, destination };
  return await transfer(connection, { ...given, ...renamed, isUpload: true });
}

/** Where to send a single file whose destination is not a directory: to that name, as with `cp`. */
async function renamedFile(
  given: CopyArguments,
  path: string,
  connection: Connection,
): Promise<{ readonly sources: Sources; readonly destination: string } | undefined> {
  const [source = ""] = given.sources;
  if (!mayBeNewName(given) || !(await orMissing(Deno.stat(source)))?.isFile) return undefined;
  if ((await statRemote(connection, path))?.is_dir) return undefined;
  return { destination: parentOf(path), sources: new Map([[nameOf(path), source]]) };
}

/** What is sent, by the name that it gets. */
function sourcesOf({ sources, name }: CopyArguments): Sources {
  const named = new Map<string, string>();
  for (const source of sources) {
    const key = name ?? basename(resolve(source));
    if (!isName(key)) throw new UsageError(`"${source}" has no name: give it one with --name`);
    if (named.has(key)) throw new UsageError(`Two sources are named "${key}"`);
    named.set(key, source);
  }
  return named;
}

/** Sends what comes on stdin. It cannot be read twice, so it is not sent again. */
async function putStdin(
  given: CopyArguments,
): Promise<number> {
  const { sources, name, destination, onConflict, json } = given;
  if (sources.length > 1 || name === undefined) {
    throw new UsageError("- is stdin: it is the only source, and --name NAME is its name");
  }
  if (onConflict === "skip") throw new UsageError("--on-conflict skip needs a file, not stdin");
  const connection = await Connection.open(given);
  const path = below(destination, name);
  const throttle = new Throttle(given.maxRate);
  let bytes = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    async transform(chunk, controller) {
      await throttle.take(chunk.length);
      bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const response = await connection.request("PUT", Connection.filePath(path), {
    body: () => Deno.stdin.readable.pipeThrough(counter),
    headers: onConflict === "replace" ? {} : { "If-None-Match": "*" },
    retry: "never",
  });
  await response.body?.cancel();
  print(json ? JSON.stringify({ path, bytes }) : `Sent ${path}`);
  return 0;
}
