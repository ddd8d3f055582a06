import type { Chunk } from "../../core/content.ts";
import { readFull } from "./files.ts";
import { asStorageFull } from "./storage_full.ts";

/**
 * Files without a name, for what memory must not hold. The system deletes them when the process ends,
 * however it does.
 */
export class TemporaryFiles implements Disposable {
  readonly #directory: string;
  readonly #open = new Set<TemporaryFile>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @throws {AppError} when the disk is full. */
  async make(): Promise<TemporaryFile> {
    const path = `${this.#directory}/${crypto.randomUUID()}`;
    try {
      const options = { read: true, write: true, createNew: true, mode: 0o600 };
      const content = await Deno.open(path, options);
      const file = new TemporaryFile(content, () => this.#open.delete(file));
      this.#open.add(file);
      await Deno.remove(path);
      return file;
    } catch (error) {
      throw asStorageFull(error);
    }
  }

  /** Closes all files. Further reads of them fail. */
  [Symbol.dispose](): void {
    for (const file of this.#open) file.close();
  }
}

/** One of {@link TemporaryFiles}. It is closed when all who hold it have released it. */
export class TemporaryFile {
  readonly #content: Deno.FsFile;
  readonly #onClose: () => void;
  #holders = 0;
  #isOpen = true;
  #end = 0;
  /** Reads and writes take turns, as they share a position. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(content: Deno.FsFile, onClose: () => void) {
    this.#content = content;
    this.#onClose = onClose;
  }

  hold(): void {
    this.#holders++;
  }

  release(): void {
    if (--this.#holders === 0) this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#content.close();
    this.#onClose();
  }

  /**
   * Writes at the end, and returns the offset.
   *
   * @throws {AppError} when the disk is full.
   */
  append(bytes: Uint8Array): Promise<number> {
    return this.#inTurn(async () => {
      const offset = this.#end;
      try {
        await this.#content.seek(offset, Deno.SeekMode.Start);
        for (let written = 0; written < bytes.length;) {
          written += await this.#content.write(bytes.subarray(written));
        }
      } catch (error) {
        throw asStorageFull(error);
      }
      this.#end += bytes.length;
      return offset;
    });
  }

  read(offset: number, length: number): Promise<Chunk> {
    return this.#inTurn(async () => {
      await this.#content.seek(offset, Deno.SeekMode.Start);
      const bytes = await readFull(this.#content, new Uint8Array(length));
      if (bytes.length < length) throw new Error("A temporary file is shorter than what it holds");
      return bytes;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
