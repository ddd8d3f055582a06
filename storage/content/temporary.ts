import { makeDirectorySync } from "../disk/files.ts";

/** Creates a directory if it is missing. @throws {Error} when something else has its path. */
export async function requireDirectory(path: string): Promise<void> {
  makeDirectorySync(path);
  // A link would point to other files, and those in `tmp/` are removed.
  if (!(await Deno.lstat(path)).isDirectory) throw new Error(`"${path}" is not a directory`);
}

/** Removes everything in the directory for temporary files, which is created if it is missing. */
export async function emptyTemporary(path: string): Promise<void> {
  await requireDirectory(path);
  for await (const { name } of Deno.readDir(path)) {
    await Deno.remove(`${path}/${name}`, { recursive: true });
  }
}
