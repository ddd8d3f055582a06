/** Paths in trees: segments separated by `/`; the root is the empty path. */

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** Whether a path is that of a directory or is below it. */
export function isWithin(path: string, directory: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}
