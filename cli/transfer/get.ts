import { createHash } from "node:crypto";
import { nameOf } from "../../core/paths.ts";
import { Connection } from "../remote/connection.ts";
import { contentOf } from "../remote/reply.ts";
import { retried } from "../remote/retry.ts";
import { UsageError } from "../usage_error.ts";
import { type CopyArguments, copyArguments, isName, remotePath } from "./arguments.ts";
import type { Sources } from "./file_sets.ts";
import { statRemote } from "./remote_list.ts";
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

/** Writes a file to stdout. What breaks off is continued where it broke off. */
async function getToStdout({ sources, tree }: CopyArguments): Promise<number> {
  const [source = "", ...others] = sources.map(remotePath);
  if (others.length > 0) throw new UsageError("- is stdout, which takes one file");
  const connection = await Connection.open(tree);
  const found = await statRemote(connection, source);
  if (found === undefined || found.is_dir) throw new Error(`The server has no file "${source}"`);
  const hash = createHash("sha256");
  let written = 0;
  await retried(async () => {
    const response = await connection.request("GET", Connection.filePath(source), {
      headers: { "If-Match": found.etag ?? "*", ...written > 0 && { Range: `bytes=${written}-` } },
      retry: "never",
    });
    if (written > 0 && response.status !== 206) throw new Error(`Cannot continue "${source}"`);
    for await (const chunk of contentOf(response)) {
      for (let start = 0; start < chunk.length;) {
        start += await Deno.stdout.write(chunk.subarray(start));
      }
      hash.update(chunk);
      written += chunk.length;
    }
  }, { isRepeatable: true, position: () => written });
  if (found.sha256 === null || hash.digest("hex") === found.sha256) return 0;
  throw new Error(`"${source}" arrived with other content than the server states`);
}
