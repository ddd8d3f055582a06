import { orMissing } from "./files.ts";
import { isSealed, parseMark, STOPPED, STOPPING } from "./lock_mark.ts";
import { lockDirectory, lockFile, type StoppingServer } from "./lock_wait.ts";
import { sealOf } from "./seal.ts";
import { isStorageFull } from "./storage_full.ts";

/** The size of the file. It stays the same, as a full disk has no space for another one. */
const LOCK_BYTES = 128;
const PATIENT: StoppingServer = { patienceMs: 65_000, onStopping() {} };

export interface AcquireOptions {
  /** Called if the disk is too full to write to the lock file. @default does nothing */
  readonly makeRoom?: () => void;
  /** How to wait for a server that stops. @default for 65 s, and says nothing */
  readonly stopping?: StoppingServer;
}

/**
 * Reserves a data directory for one server, until the lock is disposed of or the process ends.
 *
 * The lock belongs to open files, so a crash leaves no stale lock. Besides the lock file, the
 * directory itself is locked: it still holds if the lock file is removed.
 *
 * The lock file holds the id of the process that owns the lock, the generation of the database, and
 * its own inode. A clean stop replaces the id by a word, so a file with an id reveals a crash. Another
 * inode reveals a copy of the directory. While a server stops, the file says so, and a start waits.
 *
 * While the server knows which content may be without a record, the file has a seal, too, which
 * reveals any other change.
 * See docs/design/starts.md.
 */
export class DirectoryLock implements Disposable {
  /**
   * Whether content and records may disagree: the previous server did not stop cleanly, or the
   * directory is a copy.
   */
  readonly afterCrash: boolean;
  readonly #dataDir: string;
  readonly #file: Deno.FsFile;
  /** For syncs: a call on an open file fails while another one is in progress. */
  readonly #synced: Deno.FsFile;
  readonly #inode: number;
  readonly #locks: DisposableStack;
  #generation: number;
  #sealed: boolean;
  #isStopping = false;
  #written: Promise<void> = Promise.resolve();
  #syncing: Promise<void> = Promise.resolve();

  private constructor(dataDir: string, state: AcquiredState, locks: DisposableStack) {
    this.#dataDir = dataDir;
    this.#file = state.file;
    this.#synced = state.synced;
    this.#inode = state.inode;
    this.#generation = state.generation;
    this.#sealed = state.sealed;
    this.afterCrash = state.afterCrash;
    this.#locks = locks;
  }

  /** The last recorded generation of the database; 0 if unknown. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Whether no more is wrong with the content than a crash explains: content without a record, of which
   * the database has a row. Change it before anything that makes it false, and after what makes it true.
   */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Sets {@link sealed}. Resolves once it is written, or cannot be. */
  setSealed(sealed: boolean): Promise<void> {
    this.#sealed = sealed;
    return this.recordGeneration(this.#generation);
  }

  /**
   * Locks the directory.
   *
   * @throws {Error} when another server holds the lock. The message names its process.
   */
  static async acquire(
    dataDir: string,
    { makeRoom = () => {}, stopping = PATIENT }: AcquireOptions = {},
  ): Promise<DirectoryLock> {
    const path = `${dataDir}/lock`;
    using locks = new DisposableStack();
    // First of all: a server that is refused must not create a lock file.
    if (!await lockDirectory(dataDir, locks, stopping)) throw await inUse(dataDir);
    const removed = await orMissing(Deno.lstat(path)) === undefined &&
      await orMissing(Deno.lstat(`${dataDir}/strongroom.db`)) !== undefined;
    const file = locks.use(
      await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 }),
    );
    if (!await lockFile(file, dataDir, stopping)) {
      throw await inUse(dataDir);
    }
    const synced = locks.use(await Deno.open(path, { write: true }));
    const info = await Deno.lstat(path);
    const mark = parseMark(await Deno.readTextFile(path), info);
    const { marked, generation, copied } = mark;
    // If the lock file was removed, how the previous server stopped is unknown.
    const afterCrash = marked || copied || removed;
    const state = {
      file,
      synced,
      inode: info.ino ?? 0,
      generation,
      afterCrash,
      sealed: !removed && isSealed(dataDir, mark, info),
    };
    const lock = new DirectoryLock(dataDir, state, locks.move());
    try {
      await writeHolder(file, { text: lock.#text(), marked, makeRoom });
      return lock;
    } catch (error) {
      lock[Symbol.dispose]();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Cannot write "${path}": ${reason}`, { cause: error });
    }
  }

  /**
   * Records the generation that the database has, after the commit, and when the database file was
   * written. Resolves once it is written, or cannot be. The sync that follows is not awaited: an older number
   * is no fault, and a newer one than that of the database would be. An older time costs the next start some
   * time.
   */
  recordGeneration(generation: number): Promise<void> {
    this.#generation = generation;
    const written = this.#written.then(() => overwrite(this.#file, this.#text()));
    // With an older number, a database that has lost commits may go unnoticed. The commit succeeded.
    this.#written = written.then(() => this.#sync(), () => {});
    return this.#written;
  }

  /** Records that the server is about to stop, so that a start waits for it. Resolves like the others. */
  announceStop(): Promise<void> {
    this.#isStopping = true;
    return this.recordGeneration(this.#generation);
  }

  /** Records a clean stop. Call it last. */
  async markCleanStop(): Promise<void> {
    await this.#written;
    await this.#syncing;
    try {
      await overwrite(this.#file, `${STOPPED} ${this.#generation} ${this.#inode}`);
      await this.#file.sync();
    } catch (error) {
      // The next start takes this for a crash, which costs it time and nothing else.
      if (!isStorageFull(error)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#locks[Symbol.dispose]();
  }

  #text(): string {
    const text = `${Deno.pid} ${this.#generation} ${this.#inode}`;
    const sealed = this.#sealed ? `${text} ${sealOf(this.#dataDir)}` : text;
    return this.#isStopping ? `${sealed} ${STOPPING}` : sealed;
  }

  #sync(): void {
    // If it fails, an older text may count after a power loss.
    this.#syncing = this.#syncing.then(() => this.#synced.sync()).catch(() => {});
  }
}

interface AcquiredState {
  readonly file: Deno.FsFile;
  readonly synced: Deno.FsFile;
  readonly inode: number;
  readonly generation: number;
  readonly afterCrash: boolean;
  readonly sealed: boolean;
}

/** What the lock of a data directory says. */
export interface LockState {
  /** Whether a server has the directory. */
  readonly served: boolean;
  /** Whether the last server did not stop cleanly, if the directory is not served. */
  readonly afterCrash: boolean;
  /** {@link DirectoryLock.sealed} of the next start */
  readonly sealed: boolean;
  /** The generation of the database that was recorded last; 0 if unknown. */
  readonly generation: number;
}

/** Looks at the lock without taking it for long. */
export async function lockState(dataDir: string): Promise<LockState> {
  const path = `${dataDir}/lock`;
  const info = await orMissing(Deno.lstat(path));
  using locks = new DisposableStack();
  const free = await lockDirectory(dataDir, locks);
  if (info === undefined) return { served: !free, afterCrash: true, sealed: false, generation: 0 };
  const file = locks.use(await Deno.open(path));
  const served = !free || !await file.tryLock(false);
  const mark = parseMark(await Deno.readTextFile(path), info);
  const afterCrash = mark.marked || mark.copied;
  const sealed = isSealed(dataDir, mark, info);
  return { served, afterCrash, sealed, generation: mark.generation };
}

/** Another process has the data directory. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

/** Whether a server has the data directory now. Unlike {@link lockState}, it does not wait. */
export async function isServed(dataDir: string): Promise<boolean> {
  const file = await orMissing(Deno.open(`${dataDir}/lock`));
  if (file === undefined) return false;
  using lock = file;
  return !await lock.tryLock(false);
}

async function inUse(dataDir: string): Promise<Error> {
  const text = await orMissing(Deno.readTextFile(`${dataDir}/lock`)) ?? "";
  const [holder] = /^\d+/.exec(text) ?? ["of an unknown id"];
  return new DirectoryInUse(
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
  { text, marked, makeRoom }: { text: string; marked: boolean; makeRoom: () => void },
): Promise<void> {
  const write = async () => {
    await overwrite(file, text);
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
async function overwrite(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${text.padEnd(LOCK_BYTES - 1)}\n`);
  await file.seek(0, Deno.SeekMode.Start);
  // Few enough bytes for one write, so that no kill comes between two parts of the text.
  if (await file.write(bytes) < bytes.length) throw new Error("The lock file was written in part");
  await file.truncate(LOCK_BYTES);
}
