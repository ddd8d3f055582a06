import type { Chunk } from "../../core/content.ts";

/** Writes all bytes, as a single `write` may write fewer. */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) offset += await file.write(bytes.subarray(offset));
}

/** Like {@link writeAll}, with synchronous calls. */
export function writeAllSync(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += file.writeSync(bytes.subarray(offset));
}

/** Writes a file, in place of one that exists, and syncs it. Its directory is not synced. */
export async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  await writeAll(file, bytes);
  await file.syncData();
}

/** Reads until the buffer is full or the file ends, and returns the part that was filled. */
export async function readFull(file: Deno.FsFile, buffer: Chunk): Promise<Chunk> {
  let filled = 0;
  while (filled < buffer.length) {
    const count = await file.read(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Like {@link readFull}, with synchronous calls. */
export function readFullSync(file: Deno.FsFile, buffer: Chunk): Chunk {
  let filled = 0;
  while (filled < buffer.length) {
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Syncs the entries of a directory. A rename is durable only after this. */
export async function syncDirectory(path: string): Promise<void> {
  using directory = await Deno.open(path);
  await directory.sync();
}

/** Creates a directory with access for its owner only. Returns false if it exists. */
export function makeDirectorySync(path: string): boolean {
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}

/** Creates a file if it is missing, with access for its owner only. */
export async function makePrivate(path: string): Promise<void> {
  using _file = await Deno.open(path, { write: true, create: true, mode: 0o600 });
  await Deno.chmod(path, 0o600);
}

/** Removes a file if it exists, and returns whether it did. */
export async function removeFile(path: string): Promise<boolean> {
  return await orMissing(Deno.remove(path).then(() => true)) ?? false;
}

/** Resolves to the result of a file operation, or to undefined if the file does not exist. */
export async function orMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Like {@link orMissing}, for a synchronous call. */
export function orMissingSync<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
