import { orMissing } from "./disk/files.ts";

/** A file that somebody named, or that lies in a directory that somebody named. */
export type LocalFile =
  | { readonly path: string; readonly size: number }
  /** One that can't be scanned, and why. */
  | { readonly path: string; readonly error: string };

/**
 * The files at and below some paths, each once and sorted. Links to files are followed, as caches of
 * model hubs have them; links to directories only where they were named, for they may lead round.
 */
export async function localFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const found = new Map<string, LocalFile>();
  for (const path of paths) {
    const trimmed = path.replace(/(?<=.)\/+$/, "");
    for await (const file of filesAt(trimmed, { named: true })) found.set(file.path, file);
  }
  return [...found.values()].sort((a, b) => a.path < b.path ? -1 : 1);
}

async function* filesAt(path: string, { named }: { named: boolean }): AsyncGenerator<LocalFile> {
  try {
    const info = await orMissing(Deno.stat(path));
    if (info === undefined) yield { path, error: "There is no such file" };
    else if (info.isFile) yield { path, size: info.size };
    else if (!info.isDirectory) yield { path, error: "It is no regular file" };
    else if (!named && (await Deno.lstat(path)).isSymlink) {
      yield { path, error: "It is a link to a directory, which is not followed" };
    } else {
      for await (const { name } of Deno.readDir(path)) {
        yield* filesAt(path === "/" ? `/${name}` : `${path}/${name}`, { named: false });
      }
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    if (!(error instanceof Error)) throw error;
    yield { path, error: `It could not be read (${error.name})` };
  }
}
