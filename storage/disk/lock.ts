import { writeAll } from "./files.ts";

/**
 * Holds a data directory for one server at a time, until it is disposed of or the process ends.
 *
 * The lock belongs to the open file, so that no crash leaves a stale one. What the file says is the
 * process that holds it; it is emptied when a server stops in order, and so tells a crash.
 */
export class DirectoryLock implements Disposable {
  /** Whether the server before did not stop in order. */
  readonly afterCrash: boolean;
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile, afterCrash: boolean) {
    this.#file = file;
    this.afterCrash = afterCrash;
  }

  /**
   * Takes the lock file of the directory.
   *
   * @throws {Error} where another server holds it; the message says which process.
   */
  static async take(dataDir: string): Promise<DirectoryLock> {
    const path = `${dataDir}/lock`;
    const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
    try {
      const locked = await file.tryLock(true);
      const holder = (await Deno.readTextFile(path)).trim();
      if (!locked) {
        throw new Error(
          `The data directory "${dataDir}" is in use by the process ${holder}: ` +
            "one server at a time can have it",
        );
      }
      await noteHolder(file).catch((error) => {
        throw new Error(`Cannot write "${path}": ${error.message}`, { cause: error });
      });
      return new DirectoryLock(file, holder !== "");
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Notes that all is in order. To be called last. */
  async stopInOrder(): Promise<void> {
    await this.#file.truncate();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

async function noteHolder(file: Deno.FsFile): Promise<void> {
  const holder = new TextEncoder().encode(`${Deno.pid}\n`);
  // Never empty on the way: the start that a full disk or a kill ends here must not look in order.
  await writeAll(file, holder);
  await file.truncate(holder.length);
  // Before anything else is: a crash has to find it here.
  await file.sync();
}
