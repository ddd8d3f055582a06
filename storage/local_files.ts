import { resolve } from "node:path";
import { orMissing } from "./disk/files.ts";

/** A file that was named, or found below a directory that was named. */
export type LocalFile =
  | { readonly path: string; readonly size: number }
  /** A path that cannot be scanned, and the reason. */
  | { readonly path: string; readonly error: string };

/**
 * Finds the files at and below paths, sorted by path. A file that is named in several ways, such as
 * `a` and `./a`, is found once. Follows links to files, which caches of model hubs contain. Follows
 * links to directories only if they are named themselves, as others may form cycles.
 */
export async function localFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const found = new Map<string, LocalFile>();
  for (const path of paths) {
    for await (const file of filesAt(withoutSlashes(path), { named: true })) {
      const absolute = resolve(file.path);
      if (!found.has(absolute)) found.set(absolute, file);
    }
  }
  return [...found.values()].sort((a, b) => a.path < b.path ? -1 : 1);
}

/** The path without slashes at its end. The root stays. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

async function* filesAt(path: string, { named }: { named: boolean }): AsyncGenerator<LocalFile> {
  try {
    const info = await orMissing(Deno.stat(path));
    if (info === undefined) yield { path, error: "No such file" };
    else if (info.isFile) yield { path, size: info.size };
    else if (!info.isDirectory) yield { path, error: "Not a regular file" };
    else if (!named && (await Deno.lstat(path)).isSymlink) {
      yield { path, error: "Link to a directory, which is not followed" };
    } else {
      for await (const { name } of Deno.readDir(path)) {
        yield* filesAt(path === "/" ? `/${name}` : `${path}/${name}`, { named: false });
      }
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    if (!(error instanceof Error)) throw error;
    yield { path, error: `Not readable (${error.name})` };
  }
}
