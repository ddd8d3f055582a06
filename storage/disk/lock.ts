import { orMissing, writeAll } from "./files.ts";
import { isStorageFull } from "./storage_full.ts";

/** The size of the file. It stays the same, as a full disk has no space for another one. */
const LOCK_BYTES = 32;

/**
 * Reserves a data directory for one server, until the lock is disposed of or the process ends.
 *
 * The lock belongs to open files, so a crash leaves no stale lock. Besides the lock file, the
 * directory itself is locked: it still holds if the lock file is removed.
 *
 * The lock file holds the id of the process that owns the lock. A clean stop blanks it, so a file
 * that is not blank reveals a crash.
 */
export class DirectoryLock implements Disposable {
  /** Whether the previous server did not stop cleanly. */
  readonly afterCrash: boolean;
  readonly #file: Deno.FsFile;
  readonly #locks: DisposableStack;

  private constructor(file: Deno.FsFile, afterCrash: boolean, locks: DisposableStack) {
    this.#file = file;
    this.afterCrash = afterCrash;
    this.#locks = locks;
  }

  /**
   * Locks the directory.
   *
   * @param makeRoom Called if the disk is too full to write to the lock file.
   * @throws {Error} when another server holds the lock. The message names its process.
   */
  static async acquire(dataDir: string, makeRoom: () => void): Promise<DirectoryLock> {
    const path = `${dataDir}/lock`;
    using locks = new DisposableStack();
    // First of all: a server that is refused must not create a lock file.
    if (!await lockDirectory(dataDir, locks)) throw await inUse(dataDir);
    const removed = await orMissing(Deno.lstat(path)) === undefined &&
      await orMissing(Deno.lstat(`${dataDir}/strongroom.db`)) !== undefined;
    const file = locks.use(
      await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 }),
    );
    if (!await file.tryLock(true)) throw await inUse(dataDir);
    const marked = (await Deno.readTextFile(path)).trim() !== "";
    await writeHolder(file, { marked, makeRoom }).catch((error) => {
      throw new Error(`Cannot write "${path}": ${error.message}`, { cause: error });
    });
    // If the lock file was removed, how the previous server stopped is unknown.
    return new DirectoryLock(file, marked || removed, locks.move());
  }

  /** Records a clean stop. Call it last. */
  async markCleanStop(): Promise<void> {
    try {
      await overwrite(this.#file, "");
    } catch (error) {
      // The next start takes this for a crash, which costs it time and nothing else.
      if (!isStorageFull(error)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#locks[Symbol.dispose]();
  }
}

/**
 * Locks the directory itself. Returns false if another process has locked it. Succeeds without a lock
 * if the file system has none for directories, such as some network file systems.
 */
export async function lockDirectory(dataDir: string, locks: DisposableStack): Promise<boolean> {
  const directory = locks.use(await Deno.open(dataDir));
  try {
    return await directory.tryLock(true);
  } catch {
    // The lock file still excludes other servers.
    return true;
  }
}

async function inUse(dataDir: string): Promise<Error> {
  const text = await orMissing(Deno.readTextFile(`${dataDir}/lock`)) ?? "";
  const [holder] = /\d+/.exec(text) ?? ["of an unknown id"];
  return new Error(
    `The data directory "${dataDir}" is in use by process ${holder}: ` +
      "only one server can use it at a time",
  );
}

/**
 * Writes the id of this process, and syncs it, so that the file reveals a crash from here on. A file
 * that is marked already does so, even if the disk is too full to replace the id.
 */
async function writeHolder(
  file: Deno.FsFile,
  { marked, makeRoom }: { marked: boolean; makeRoom: () => void },
): Promise<void> {
  const write = () => overwrite(file, String(Deno.pid));
  try {
    await write().catch((error) => {
      if (!isStorageFull(error)) throw error;
      makeRoom();
      return write();
    });
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    if (marked) return;
    // On most file systems a zero byte at the end takes no space. It is not blank.
    await file.truncate(LOCK_BYTES + 1);
    await file.sync();
  }
}

/**
 * Replaces the text of the file in place and syncs it. The file is never empty in between: a start
 * that fails here must not look like a clean stop.
 */
async function overwrite(file: Deno.FsFile, text: string): Promise<void> {
  await file.seek(0, Deno.SeekMode.Start);
  await writeAll(file, new TextEncoder().encode(`${text.padEnd(LOCK_BYTES - 1)}\n`));
  await file.truncate(LOCK_BYTES);
  await file.sync();
}
