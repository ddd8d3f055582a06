/** The names of files and directories that permissions of the runtime need. */

import { basename, dirname, join, resolve } from "node:path/posix";

/** A path and, if it goes through links, the real one: the runtime checks an open file by that. */
export function namesOf(path: string): string[] {
  const real = realPath(resolve(path));
  return real === resolve(path) ? [path] : [path, real];
}

/**
 * The names of a file that may be replaced while a server runs. Where a link leads to it, as Kubernetes replaces
 * secrets, its next real path is below the same directory.
 */
export function namesOfReplaced(path: string): string[] {
  const directory = realPath(dirname(resolve(path)));
  const names = namesOf(path);
  const isLinked = names.some((name) => name !== path && dirname(name) !== directory);
  return isLinked && realPath(resolve(path)).startsWith(`${directory}/`)
    ? [...names, dirname(path), directory]
    : names;
}

/** The real path of a directory that may have yet to be created. */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return join(realPath(dirname(path)), basename(path));
    // Using the directory shows what is wrong with it.
    return path;
  }
}
