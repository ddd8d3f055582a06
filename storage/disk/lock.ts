import { orMissing } from "./files.ts";
import { isStorageFull } from "./storage_full.ts";

/** The size of the file. It stays the same, as a full disk has no space for another one. */
const LOCK_BYTES = 64;
/**
 * How long to wait for a lock, in milliseconds. A killed server may need a moment to release it, and
 * `strongroom check` holds it for a moment.
 */
const LOCK_PATIENCE_MS = 1000;
const LOCK_RETRY_MS = 20;
/** The text of the file after a clean stop, in place of the id of a process. */
const STOPPED = "stopped";

/** What the lock file says of the previous server. */
interface LockMark {
  /** Whether it did not stop cleanly. */
  readonly marked: boolean;
  /** The generation of the database that it last recorded; 0 if unknown. */
  readonly generation: number;
  /** Whether the file is a copy of the one that it wrote. */
  readonly copied: boolean;
}

/**
 * Reserves a data directory for one server, until the lock is disposed of or the process ends.
 *
 * The lock belongs to open files, so a crash leaves no stale lock. Besides the lock file, the
 * directory itself is locked: it still holds if the lock file is removed.
 *
 * The lock file holds the id of the process that owns the lock, the generation of the database, and
 * its own inode. A clean stop replaces the id by a word, so a file with an id reveals a crash. Another
 * inode reveals a copy of the directory.
 */
export class DirectoryLock implements Disposable {
  /**
   * Whether content and records may disagree: the previous server did not stop cleanly, or the
   * directory is a copy.
   */
  readonly afterCrash: boolean;
  readonly #file: Deno.FsFile;
  readonly #inode: number;
  readonly #locks: DisposableStack;
  #generation: number;

  private constructor(
    file: Deno.FsFile,
    { inode, generation, afterCrash }: { inode: number; generation: number; afterCrash: boolean },
    locks: DisposableStack,
  ) {
    this.#file = file;
    this.#inode = inode;
    this.#generation = generation;
    this.afterCrash = afterCrash;
    this.#locks = locks;
  }

  /** The last recorded generation of the database; 0 if unknown. */
  get generation(): number {
    return this.#generation;
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
    if (!await lockPatiently(file)) throw await inUse(dataDir);
    const inode = (await Deno.lstat(path)).ino ?? 0;
    const { marked, generation, copied } = parseMark(await Deno.readTextFile(path), inode);
    const text = `${Deno.pid} ${generation} ${inode}`;
    await writeHolder(file, { text, marked, makeRoom }).catch((error) => {
      throw new Error(`Cannot write "${path}": ${error.message}`, { cause: error });
    });
    // If the lock file was removed, how the previous server stopped is unknown.
    const afterCrash = marked || copied || removed;
    return new DirectoryLock(file, { inode, generation, afterCrash }, locks.move());
  }

  /**
   * Records the generation that the database has, after the commit. The write is not synced: an older
   * number is no fault, and a newer one than that of the database would be.
   */
  recordGeneration(generation: number): void {
    this.#generation = generation;
    try {
      overwrite(this.#file, `${Deno.pid} ${generation} ${this.#inode}`);
    } catch {
      // With an older number, a database that has lost commits may go unnoticed. The commit succeeded.
    }
  }

  /** Records a clean stop. Call it last. */
  async markCleanStop(): Promise<void> {
    try {
      overwrite(this.#file, `${STOPPED} ${this.#generation} ${this.#inode}`);
      await this.#file.sync();
    } catch (error) {
      // The next start takes this for a crash, which costs it time and nothing else.
      if (!isStorageFull(error)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#locks[Symbol.dispose]();
  }
}

/** What the lock of a data directory says. */
export interface LockState {
  /** Whether a server has the directory. */
  readonly served: boolean;
  /** Whether the last server did not stop cleanly, if the directory is not served. */
  readonly afterCrash: boolean;
  /** The generation of the database that was recorded last; 0 if unknown. */
  readonly generation: number;
}

/** Looks at the lock without taking it for long. */
export async function lockState(dataDir: string): Promise<LockState> {
  const path = `${dataDir}/lock`;
  const info = await orMissing(Deno.lstat(path));
  using locks = new DisposableStack();
  const free = await lockDirectory(dataDir, locks);
  if (info === undefined) return { served: !free, afterCrash: true, generation: 0 };
  const file = locks.use(await Deno.open(path));
  const served = !free || !await file.tryLock(false);
  const { marked, generation, copied } = parseMark(await Deno.readTextFile(path), info.ino ?? 0);
  return { served, afterCrash: marked || copied, generation };
}

/**
 * Locks the directory itself. Returns false if another process has locked it. Succeeds without a lock
 * if the file system cannot lock directories, such as some network file systems.
 */
export async function lockDirectory(dataDir: string, locks: DisposableStack): Promise<boolean> {
  const directory = locks.use(await Deno.open(dataDir));
  try {
    return await lockPatiently(directory);
  } catch {
    // The lock file still excludes other servers.
    return true;
  }
}

/** Locks a file for this process alone. Returns false if another process keeps its lock. */
async function lockPatiently(file: Deno.FsFile): Promise<boolean> {
  const deadline = performance.now() + LOCK_PATIENCE_MS;
  while (!await file.tryLock(true)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
  return true;
}

async function inUse(dataDir: string): Promise<Error> {
  const text = await orMissing(Deno.readTextFile(`${dataDir}/lock`)) ?? "";
  const [holder] = /^\d+/.exec(text) ?? ["of an unknown id"];
  return new Error(
    `The data directory "${dataDir}" is in use by process ${holder}: ` +
      "only one server can use it at a time",
  );
}

/** Parses the text of a lock file. Earlier versions wrote the id alone, or nothing. */
function parseMark(text: string, inode: number): LockMark {
  const [, process, generation = "0", written] =
    /^(\d*|stopped)(?: (\d+) (\d+))?\s*$/.exec(text.trim()) ?? [];
  return {
    marked: process !== "" && process !== STOPPED,
    generation: Number(generation),
    copied: written !== undefined && Number(written) !== inode,
  };
}

/**
 * Writes the id of this process, and syncs it, so that the file reveals a crash from here on. A file
 * that is marked already does so, even if the disk is too full to replace the id.
 */
async function writeHolder(
  file: Deno.FsFile,
  { text, marked, makeRoom }: { text: string; marked: boolean; makeRoom: () => void },
): Promise<void> {
  const write = async () => {
    overwrite(file, text);
    await file.sync();
  };
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
 * Replaces the text of the file in place. The file is never empty in between: a start that fails here
 * must not look like a clean stop.
 */
function overwrite(file: Deno.FsFile, text: string): void {
  const bytes = new TextEncoder().encode(`${text.padEnd(LOCK_BYTES - 1)}\n`);
  file.seekSync(0, Deno.SeekMode.Start);
  // Few enough bytes for one write, so that no kill comes between two parts of the text.
  if (file.writeSync(bytes) < bytes.length) throw new Error("The lock file was written in part");
  file.truncateSync(LOCK_BYTES);
}
