import { orMissing } from "./files.ts";

/** Holds a data directory for one server at a time, until it is disposed of or the process ends. */
export class DirectoryLock implements Disposable {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /**
   * Takes the lock file of the directory. The lock belongs to the open file, so that no crash leaves
   * a stale one.
   *
   * @throws {Error} where another server holds it; the message says which process.
   */
  static async take(dataDir: string): Promise<DirectoryLock> {
    const path = `${dataDir}/lock`;
    const file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
    if (!await file.tryLock(true)) {
      file.close();
      const holder = (await orMissing(Deno.readTextFile(path)))?.trim();
      throw new Error(
        `The data directory "${dataDir}" is in use by ${
          holder ? `the process ${holder}` : "another process"
        }: one server at a time can have it`,
      );
    }
    await file.truncate();
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
    return new DirectoryLock(file);
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
