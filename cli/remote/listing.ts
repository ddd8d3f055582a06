import * as v from "valibot";
import { compareBytewise, isBelow } from "../../core/paths.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import type { Connection, Query } from "./connection.ts";
import { listItems } from "./reply.ts";

/** A larger listing of the root keeps the order of the server, as it is not held in memory. */
const MAX_SORTED = 10_000;

/**
 * The entries of a list, as they arrive.
 *
 * @throws {ConnectionLost} when the list breaks off.
 */
export async function* entriesOf(response: Response): AsyncGenerator<ResourceEntry[]> {
  for await (const items of listItems(response)) yield v.parse(v.array(ResourceEntry), items);
}

export interface ListingOptions {
  /** Whether to list all descendants. @default false */
  readonly recursive?: boolean;
}

/**
 * The entries of a directory, or a file itself, ordered by path.
 *
 * @throws {RemoteError} when the path does not exist.
 */
export async function* listing(
  connection: Connection,
  path: string,
  { recursive = false }: ListingOptions = {},
): AsyncGenerator<readonly ResourceEntry[]> {
  if (path === "") return yield* rootListing(connection, recursive);
  const response = await connection.request("GET", "/resources/", {
    query: { path, recursive: String(recursive) },
  });
  let isDirectory = false;
  for await (const batch of entriesOf(response)) {
    isDirectory ||= batch.some((entry) => entry.path === path);
    yield batch.filter((entry) => isBelow(entry.path, path));
  }
  // The list of a file, or of nothing, is empty.
  if (!isDirectory) {
    yield [await connection.json(ResourceEntry, "GET", "/resources/stat", { query: { path } })];
  }
}

/** The server lists the root newest first. */
async function* rootListing(
  connection: Connection,
  recursive: boolean,
): AsyncGenerator<readonly ResourceEntry[]> {
  const list = (query: Query) => connection.request("GET", "/resources/", { query });
  const top = await sorted(entriesOf(await list({})));
  if (top === undefined) {
    yield* entriesOf(await list({ recursive: String(recursive) }));
    return;
  }
  for (const entry of top) {
    yield [entry];
    if (recursive && entry.is_dir) yield* listing(connection, entry.path, { recursive });
  }
}

/** All entries by path; undefined if there are too many to hold. */
async function sorted(
  batches: AsyncIterable<readonly ResourceEntry[]>,
): Promise<ResourceEntry[] | undefined> {
  const entries: ResourceEntry[] = [];
  for await (const batch of batches) {
    entries.push(...batch);
    if (entries.length > MAX_SORTED) return undefined;
  }
  return entries.sort((a, b) => compareBytewise(a.path, b.path));
}
