import type { Chunk } from "../../core/content.ts";

/** Writes all of it; a single write may be short. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** Fills the buffer as far as the file goes, and returns the part that was filled. */
export async function readFull(file: Deno.FsFile, buffer: Chunk): Promise<Chunk> {
  let filled = 0;
  while (filled < buffer.length) {
    const count = await file.read(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Makes the names in a directory durable: a rename is on the disk only after this. */
export async function syncDirectory(path: string): Promise<void> {
  using directory = await Deno.open(path);
  await directory.sync();
}

/** Makes a directory for the owner alone; false where it was there already. */
export function makeDirectorySync(path: string): boolean {
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

/** Removes a file, if there is one. */
export async function removeFile(path: string): Promise<void> {
  await orMissing(Deno.remove(path));
}

/** The result, or undefined where the file that it is about does not exist. */
export async function orMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** As {@link orMissing}, without waiting. */
export function orMissingSync<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
