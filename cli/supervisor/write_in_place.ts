import { asError, type Log } from "../../core/log.ts";
import { databasePath, inPlacePath } from "../../storage/disk/data_directory.ts";
import { orMissing, removeFile, syncDirectory, writeSynced } from "../../storage/disk/files.ts";
import { lockDirectory } from "../../storage/disk/lock_wait.ts";
import { isCopyOnWrite } from "../copy_on_write.ts";

/** The directories of content, which btrfs keeps like any other: with checksums. */
const CONTENT_DIRECTORIES = ["blobs", "tmp", "uploads"] as const;

/**
 * Has btrfs write the database of a data directory in place (`chattr +C`), so that a full disk has the space for
 * it. New files take that from their directory; those that exist are copied. Does nothing on other file systems,
 * and while another process uses the directory or its database. What fails is logged, and tried again at the
 * next start.
 * See docs/design/full_disk.md.
 */
export async function writeInPlace(dataDir: string, log: Log): Promise<void> {
  // The server reports why there is no directory.
  const isThere = await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 })
    .then(() => true, () => false);
  if (!isThere) return;
  try {
    if (!await isCopyOnWrite(dataDir)) return;
    using locks = new DisposableStack();
    if (!await lockDirectory(dataDir, locks)) return;
    const isNew = await setAttribute(dataDir);
    const copied = await copyDatabase(dataDir);
    await writeSynced(inPlacePath(dataDir), new Uint8Array());
    if (!isNew && copied === 0) return;
    log.info("btrfs writes the database in place from now on (chattr +C)", { dataDir, copied });
  } catch (error) {
    const message = "Cannot have btrfs write the database in place; a full disk may end the server";
    log.warn(message, { dataDir, error: asError(error) });
  }
}

/** Sets the attribute of the directory, unless it has it. Returns whether it did. */
async function setAttribute(dataDir: string): Promise<boolean> {
  if (await isInPlace(dataDir)) return false;
  await run("chattr", "+C", dataDir);
  for (const name of CONTENT_DIRECTORIES) {
    const path = `${dataDir}/${name}`;
    if (await orMissing(Deno.lstat(path)) !== undefined) continue;
    await Deno.mkdir(path, { mode: 0o700 });
    await run("chattr", "-C", path);
  }
  return true;
}

/** Copies the files of the database that lack the attribute. Returns how many did. */
async function copyDatabase(dataDir: string): Promise<number> {
  const path = databasePath(dataDir);
  let copied = 0;
  // SQLite fills the shared memory anew. That and the log are small: a full disk may have space for no more.
  for (const suffix of ["-shm", "-wal", ""]) {
    const file = path + suffix;
    const info = await orMissing(Deno.lstat(file));
    if (info === undefined || await isInPlace(file)) continue;
    await requireUnused(path);
    if (suffix === "-shm") await removeFile(file);
    else await copyOver(file);
    copied++;
  }
  await syncDirectory(dataDir);
  return copied;
}

async function copyOver(path: string): Promise<void> {
  const copy = `${path}.copy`;
  try {
    using source = await Deno.open(path);
    using target = await Deno.open(copy, {
      write: true,
      create: true,
      truncate: true,
      mode: 0o600,
    });
    // Not copyFile(): it would share the blocks of the file.
    await source.readable.pipeTo(target.writable, { preventClose: true });
    await target.sync();
    await Deno.rename(copy, path);
  } catch (error) {
    await removeFile(copy);
    throw error;
  }
}

/** @throws {Error} when another process, such as a backup, has the database open: it reads the files of before. */
async function requireUnused(path: string): Promise<void> {
  const inode = (await orMissing(Deno.lstat(path)))?.ino;
  const locks = await Deno.readTextFile("/proc/locks");
  if (inode != null && locks.includes(`:${inode} `)) {
    throw new Error("another process reads the database");
  }
}

async function isInPlace(path: string): Promise<boolean> {
  const [attributes = ""] = (await run("lsattr", "-d", path)).split(" ", 1);
  return attributes.includes("C");
}

/** Runs a program, and returns what it prints. @throws {Error} when it is missing or fails. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" })
    .output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${program} failed: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}
