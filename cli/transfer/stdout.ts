import { createHash } from "node:crypto";
import { Connection } from "../remote/connection.ts";
import { contentOf } from "../remote/reply.ts";
import { retried } from "../remote/retry.ts";
import { statRemote } from "./remote_list.ts";
import type { Throttle } from "../../core/throttle.ts";

/**
 * Writes a file of a server to stdout. What breaks off is continued where it broke off. Returns false if the
 * reader has closed the pipe, as `head` does when it has what it wants.
 *
 * @throws {Error} when the server has no such file, or it arrives with other content than the server states.
 */
export async function writeToStdout(
  connection: Connection,
  source: string,
  throttle: Throttle,
): Promise<boolean> {
  try {
    await writeFile(connection, source, throttle);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}

async function writeFile(
  connection: Connection,
  source: string,
  throttle: Throttle,
): Promise<void> {
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
      await throttle.take(chunk.length);
    }
  }, { isRepeatable: true, position: () => written });
  if (found.sha256 === null || hash.digest("hex") === found.sha256) return;
  throw new Error(`"${source}" arrived with other content than the server states`);
}
