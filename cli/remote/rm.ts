import { StatEntry } from "../../schemas/verdicts.ts";
import { printError } from "../print_error.ts";
import { UsageError } from "../usage_error.ts";
import { queryBatches } from "./batches.ts";
import { printCount, readChanged } from "./changed_entries.ts";
import { Connection } from "./connection.ts";
import { RemoteError } from "./remote_error.ts";
import { remotePath, verbArguments } from "./verb.ts";

/** `strongroom rm`: deletes files of a server and, with -r, directories with all that is in them (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    recursive: { type: "boolean", short: "r", default: false },
    force: { type: "boolean", short: "f", default: false },
    purge: { type: "boolean", default: false },
  });
  const paths = [...new Set(positionals.map(remotePath))];
  if (paths.length === 0 && !values.force) throw new UsageError("rm needs one path or more");
  const connection = await Connection.open(values);
  let count = 0;
  let code = 0;
  if (values.recursive) {
    for (const batch of queryBatches(paths)) count += await removeAll(connection, batch, values);
  } else {
    for (const path of paths) {
      try {
        count += await readChanged(await removeFile(connection, path, values), values);
      } catch (error) {
        // The others do not depend on it.
        if (!(error instanceof RemoteError) || error.status === 401) throw error;
        if (values.force && isMissing(error)) continue;
        printError(error.message);
        code = 1;
      }
    }
  }
  if (!values.json) printCount("Deleted", count);
  return code;
}

/** Deletes paths with all that is in them: all or none. With `force`, those that are missing do not count. */
async function removeAll(
  connection: Connection,
  paths: readonly string[],
  options: { readonly json: boolean; readonly force: boolean; readonly purge: boolean },
): Promise<number> {
  try {
    const query = { "paths[]": paths, purge: options.purge ? "true" : undefined };
    return await readChanged(
      await connection.request("DELETE", "/resources/", { query }),
      options,
    );
  } catch (error) {
    if (!options.force || !isMissing(error)) throw error;
  }
  if (paths.length === 1) return 0;
  let count = 0;
  for (const path of paths) count += await removeAll(connection, [path], options);
  return count;
}

function isMissing(error: unknown): boolean {
  return error instanceof RemoteError && error.kind === "ErrResourcesNotFound";
}

/** Deletes a file, and never a directory, even if one takes its place meanwhile. */
async function removeFile(
  connection: Connection,
  path: string,
  { purge }: { readonly purge: boolean },
): Promise<Response> {
  const { etag } = await connection.json(StatEntry, "GET", "/resources/stat", { query: { path } });
  if (etag === null) {
    throw new RemoteError(400, "ErrIsDirectory", `"${path}" is a directory: use rm -r`);
  }
  return await connection.request("DELETE", Connection.filePath(path), {
    headers: { "If-Match": etag },
    query: { purge: purge ? "true" : undefined },
  });
}
