import type { ListedFile } from "../../storage/disk/file_comparison.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { addAll, below, type ListOptions } from "./file_sets.ts";
import { isPartial } from "./partial_file.ts";

/** A link or a special file that a transfer may replace, but not read. */
const UNREADABLE_SIZE = -2;

/** Lists what is to be sent at a path. Links to files are followed, and those to directories if named. */
export function listLocalSource(name: string, path: string, options: ListOptions): Promise<void> {
  return addAll(options, walk(name, path, { ...options, isSource: true }));
}

/** Lists what is there where files are to be stored. Links are not followed: nothing is stored by them. */
export function listLocalTarget(name: string, path: string, options: ListOptions): Promise<void> {
  return addAll(options, walk(name, path, { ...options, isSource: false }));
}

type WalkOptions = ListOptions & { readonly isSource: boolean };

async function* walk(
  name: string,
  path: string,
  options: WalkOptions,
): AsyncGenerator<ListedFile> {
  const { isSource, selection, fail } = options;
  const info = await orMissing(isSource || name === "" ? Deno.stat(path) : Deno.lstat(path));
  if (info === undefined) {
    if (isSource) fail(path, new Error("No such file"));
  } else if (name === "" && !info.isDirectory) fail(path, new Error("Not a directory"));
  else if (info.isFile) yield { path: name, isDirectory: false, size: info.size };
  else if (info.isDirectory) {
    if (name !== "" && selection.isIncluded(name)) yield { path: name, isDirectory: true, size: 0 };
    yield* walkDirectory(name, path, options);
  } else if (isSource) fail(path, new Error("Not a regular file"));
  else if (!selection.isExcluded(name)) {
    yield { path: name, isDirectory: false, size: UNREADABLE_SIZE };
  }
}

async function* walkDirectory(
  directory: string,
  path: string,
  options: WalkOptions,
): AsyncGenerator<ListedFile> {
  const { isSource, selection, fail } = options;
  try {
    for await (const entry of Deno.readDir(path)) {
      const name = below(directory, entry.name);
      const child = `${path}/${entry.name}`;
      if (selection.isExcluded(name) || isSource && isPartial(entry.name)) continue;
      if (!entry.isDirectory && !selection.isIncluded(name)) continue;
      if (isSource && entry.isSymlink && (await orMissing(Deno.stat(child)))?.isDirectory) {
        fail(child, new Error("Link to a directory, which is not followed"));
      } else yield* walk(name, child, options);
    }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof Deno.errors.NotCapable) throw error;
    fail(path, error);
  }
}
