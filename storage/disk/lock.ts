import { writeAll } from "./files.ts";

/**
 * Reserves a data directory for one server, until the lock is disposed of or the process ends.
 *
 * The lock belongs to the open file, so a crash leaves no stale lock. The file holds the id of the
 * process that owns the lock. A clean stop empties it, so a file that is not empty reveals a crash.
 */
export class DirectoryLock implements Disposable {
  /** Whether the previous server did not stop cleanly. */
  readonly afterCrash: boolean;
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile, afterCrash: boolean) {
    this.#file = file;
    this.afterCrash = afterCrash;
  }

  /**
   * Locks the directory.
   *
   * @throws {Error} when another server holds the lock. The message names its process.
   */
  static async acquire(dataDir: string): Promise<DirectoryLock> {
    const path = `${dataDir}/lock`;
    const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
    try {
      const locked = await file.tryLock(true);
      const holder = (await Deno.readTextFile(path)).trim();
      if (!locked) {
        throw new Error(
          `The data directory "${dataDir}" is in use by process ${holder}: ` +
            "only one server can use it at a time",
        );
      }
      await writeHolder(file).catch((error) => {
        throw new Error(`Cannot write "${path}": ${error.message}`, { cause: error });
      });
      return new DirectoryLock(file, holder !== "");
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Records a clean stop. Call it last. */
  async markCleanStop(): Promise<void> {
    await this.#file.truncate();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** Writes the id of this process. */
async function writeHolder(file: Deno.FsFile): Promise<void> {
  const holder = new TextEncoder().encode(`${Deno.pid}\n`);
  // Never leave the file empty: a start that fails here must not look like a clean stop.
  await writeAll(file, holder);
  await file.truncate(holder.length);
  // Sync before any other write, so that the file reveals a crash from here on.
  await file.sync();
}
