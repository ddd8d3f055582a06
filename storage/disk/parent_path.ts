/**
 * The directory of a path, as `dirname` of Node, whose module takes a third of the start of a thread. For
 * the paths of our own files, without a slash at the end.
 */
export function parentPath(path: string): string {
  const end = path.lastIndexOf("/");
  return end > 0 ? path.slice(0, end) : end === 0 ? "/" : ".";
}
