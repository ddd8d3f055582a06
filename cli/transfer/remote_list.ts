import * as v from "valibot";
import { sanitizePath } from "../../core/paths.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import type { ListedFile } from "../../storage/disk/file_comparison.ts";
import type { Connection } from "../remote/connection.ts";
import { RemoteError } from "../remote/remote_error.ts";
import { linesOf, listItems } from "../remote/reply.ts";
import { retried } from "../remote/retry.ts";
import { addAll, below, type ListOptions } from "./file_sets.ts";

/** What a transfer needs to know of an entry of the server. */
const Stat = v.object({
  ...v.pick(ResourceEntry, ["path", "is_dir", "size"]).entries,
  sha256: v.nullable(v.string()),
  etag: v.nullable(v.string()),
});
export type RemoteStat = v.InferOutput<typeof Stat>;

/** The entry at a path; undefined if there is none. "" is the root, a directory. */
export async function statRemote(
  connection: Connection,
  path: string,
): Promise<RemoteStat | undefined> {
  if (path === "") return { path, is_dir: true, size: 0, sha256: null, etag: null };
  try {
    return await connection.json(Stat, "GET", "/resources/stat", { query: { path } });
  } catch (error) {
    if (error instanceof RemoteError && error.kind === "ErrResourcesNotFound") return undefined;
    throw error;
  }
}

/** Lists a file or directory of the server with the SHA-256 of all files. Returns whether it exists. */
export async function listRemote(
  connection: Connection,
  name: string,
  path: string,
  options: ListOptions,
): Promise<boolean> {
  const { comparison, side } = options;
  const found = await statRemote(connection, path);
  if (found === undefined) return false;
  if (name === "" && !found.is_dir) throw new Error(`"${path}" is a file on the server`);
  if (name !== "") {
    comparison.add(side, [{ path: name, isDirectory: found.is_dir, size: found.size }]);
  }
  if (!found.is_dir && found.sha256 !== null) {
    comparison.setSha256(side, name, found.sha256);
    return true;
  }
  const listing = { name, path, isDirectory: found.is_dir, connection, options };
  await retried(() => addListing(listing), { isRepeatable: true });
  await retried(() => addChecksums(listing), { isRepeatable: true });
  // They are gone: the checksums are newer.
  comparison.removeUnknown(side);
  return true;
}

interface Listing {
  readonly connection: Connection;
  readonly name: string;
  readonly path: string;
  readonly isDirectory: boolean;
  readonly options: ListOptions;
}

async function addListing({ connection, name, path, options }: Listing): Promise<void> {
  const response = await connection.request("GET", "/resources/", {
    query: { recursive: "true", path: path === "" ? undefined : path },
    retry: "never",
  });
  const prefix = path === "" ? "" : `${path}/`;
  await addAll(options, entries());

  async function* entries(): AsyncGenerator<ListedFile> {
    for await (const items of listItems(response)) {
      for (const entry of v.parse(v.array(ResourceEntry), items)) {
        // A listing has the directories above as well.
        if (!entry.path.startsWith(prefix)) continue;
        const file = acceptable(name, entry.path.slice(prefix.length), options);
        if (file !== undefined) yield { path: file, isDirectory: entry.is_dir, size: entry.size };
      }
    }
  }
}

const CHECKSUM = /^([0-9a-f]{64}) {2}(.*)$/;

async function addChecksums(
  { connection, name, path, isDirectory, options }: Listing,
): Promise<void> {
  const { comparison, side } = options;
  const response = await connection.request("GET", "/resources/checksums", {
    query: { path: path === "" ? undefined : path },
    retry: "never",
  });
  let batch: { path: string; sha256: string }[] = [];
  for await (const line of linesOf(response)) {
    const [, sha256 = "", relative = ""] = CHECKSUM.exec(line) ?? [];
    if (sha256 === "") throw new Error("The server sent checksums that are not understood");
    const file = isDirectory ? acceptable(name, relative, options) : name;
    if (file === undefined || batch.push({ path: file, sha256 }) < 1000) continue;
    comparison.addContents(side, batch);
    batch = [];
  }
  comparison.addContents(side, batch);
}

/**
 * The path of an entry in the comparison; undefined if it is left out. No path may lead out of the
 * directory that is copied to, whatever the server sends.
 */
function acceptable(
  name: string,
  relative: string,
  { selection, fail }: ListOptions,
): string | undefined {
  const path = below(name, relative);
  if (selection.isExcluded(path) || !selection.isIncluded(path)) return undefined;
  if (isPath(relative)) return path;
  fail(path, new Error("The server sent a path that is not valid"));
  return undefined;
}

/** Whether a text is a path that the server may have (C 4): relative, without `..`. */
function isPath(text: string): boolean {
  try {
    // The white space of its first segment counts.
    return sanitizePath(`x/${text}`) === `x/${text}`;
  } catch {
    return false;
  }
}
