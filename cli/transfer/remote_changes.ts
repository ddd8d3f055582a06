import * as v from "valibot";
import type { ListedFile } from "../../storage/disk/file_comparison.ts";
import type { Connection } from "../remote/connection.ts";
import { RemoteError } from "../remote/remote_error.ts";
import { concurrently } from "./concurrently.ts";
import { below } from "./file_sets.ts";
import { isFatal, type Outcome } from "./outcome.ts";

/** How many paths a request deletes: their encoded text has to fit into an address. */
const MAX_DELETED_PATHS = 50;
const MAX_DELETED_LENGTH = 8000;
const DIRECTORIES_AT_ONCE = 4;

/** Where changes are made on the server. */
export interface RemoteDirectory {
  readonly connection: Connection;
  readonly destination: string;
  readonly outcome: Outcome;
}

/** Makes directories with those above them. */
export async function makeRemoteDirectories(
  directories: Iterable<ListedFile>,
  { connection, destination, outcome }: RemoteDirectory,
): Promise<void> {
  await concurrently(directories, DIRECTORIES_AT_ONCE, async ({ path }) => {
    try {
      const value = { path: below(destination, path) };
      await connection.json(v.unknown(), "POST", "/resources/mkdir", { value });
    } catch (error) {
      if (isFatal(error)) throw error;
      outcome.fail(path, error);
    }
  });
}

/** Deletes files and directories, each before the directory that it is in. */
export async function deleteRemote(
  entries: Iterable<ListedFile>,
  directory: RemoteDirectory,
): Promise<void> {
  let paths: string[] = [];
  let length = 0;
  for (const { path } of entries) {
    length += encodeURIComponent(path).length + directory.destination.length;
    paths.push(path);
    if (paths.length < MAX_DELETED_PATHS && length < MAX_DELETED_LENGTH) continue;
    await deletePaths(paths, directory);
    paths = [];
    length = 0;
  }
  await deletePaths(paths, directory);
}

/** Deletes paths: all in one request, or one by one if some are gone. */
async function deletePaths(paths: readonly string[], directory: RemoteDirectory): Promise<void> {
  if (paths.length === 0) return;
  const { connection, destination, outcome } = directory;
  try {
    const response = await connection.request("DELETE", "/resources/", {
      query: { "paths[]": paths.map((path) => below(destination, path)) },
    });
    await response.body?.cancel();
    outcome.deleted += paths.length;
  } catch (error) {
    if (isFatal(error)) throw error;
    if (paths.length > 1) { for (const path of paths) await deletePaths([path], directory); }
    else if (!(error instanceof RemoteError && error.kind === "ErrResourcesNotFound")) {
      outcome.fail(paths[0] ?? "", error);
    }
  }
}
