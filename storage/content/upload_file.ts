import { MIB } from "../../schemas/units.ts";
import type { Chunk } from "../../core/content.ts";
import { readFullSync, writeAllSync } from "../disk/files.ts";

/** After this much, what was written is synced while more comes in, so that the last sync is short. */
const SYNC_BYTES = 32 * MIB;

/** A file that content is appended to. */
export class UploadFile {
  readonly #file: Deno.FsFile;
  /** For syncs on the way: calls for one open file wait for one another. */
  readonly #synced: Deno.FsFile;
  #syncing: Promise<void> | undefined;
  #unsyncedBytes = 0;
  #failure: unknown;
  #size: number;
  readonly #isWritten: boolean;

  private constructor(
    file: Deno.FsFile,
    synced: Deno.FsFile,
    { size, isWritten = false }: { readonly size: number; readonly isWritten?: boolean },
  ) {
    this.#file = file;
    this.#synced = synced;
    this.#size = size;
    this.#isWritten = isWritten;
  }

  /** Creates the file, which must not exist. */
  static async create(path: string): Promise<UploadFile> {
    return await UploadFile.#with(
      await Deno.open(path, { write: true, createNew: true, mode: 0o600 }),
      { path, size: 0 },
    );
  }

  /** Opens a file, cut to `size` bytes, which {@link read} returns before more is appended. */
  static async reopen(path: string, size: number): Promise<UploadFile> {
    const file = await Deno.open(path, { read: true, write: true });
    try {
      const { size: found } = await file.stat();
      if (found < size) throw new Error(`A part has ${found} bytes instead of ${size}`);
      await file.truncate(size);
    } catch (error) {
      file.close();
      throw error;
    }
    return await UploadFile.#with(file, { path, size });
  }

  /** Opens a file to read or write it from a position on. */
  static async openAt(path: string, position: number): Promise<UploadFile> {
    const file = await Deno.open(path, { read: true, write: true });
    await file.seek(position, Deno.SeekMode.Start);
    return await UploadFile.#with(file, { path, size: 0 });
  }

  /** Follows a file that has each piece of its content before that is appended here: it is synced alone. */
  static async follow(path: string): Promise<UploadFile> {
    return await UploadFile.#with(
      await Deno.open(path, { write: true }),
      { path, size: 0, isWritten: true },
    );
  }

  static async #with(
    file: Deno.FsFile,
    { path, ...state }: {
      readonly path: string;
      readonly size: number;
      readonly isWritten?: boolean;
    },
  ): Promise<UploadFile> {
    try {
      return new UploadFile(file, await Deno.open(path, { write: true }), state);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** The bytes that the file has. */
  get size(): number {
    return this.#size;
  }

  /** Fills the buffer with what the file has next, as far as there is more. */
  read(buffer: Chunk): Chunk {
    return readFullSync(this.#file, buffer);
  }

  /** Appends bytes. */
  append(bytes: Uint8Array): void {
    if (!this.#isWritten) writeAllSync(this.#file, bytes);
    this.#size += bytes.length;
    this.#unsyncedBytes += bytes.length;
    if (this.#unsyncedBytes >= SYNC_BYTES) this.#startSync();
  }

  /** Syncs what has been appended, and returns the size of the file with that. */
  async sync(): Promise<number> {
    const size = this.#size;
    await this.#synced.syncData();
    if (this.#failure !== undefined) throw this.#failure;
    return size;
  }

  /** Drops what comes after the first `size` bytes. */
  async cut(size: number): Promise<void> {
    await this.#file.truncate(size);
    await this.#file.seek(size, Deno.SeekMode.Start);
    this.#size = size;
  }

  /**
   * Syncs the file and closes it.
   *
   * @throws the error of a write or sync.
   */
  async finish(): Promise<void> {
    await this.#syncing;
    if (this.#failure !== undefined) throw this.#failure;
    await this.#file.syncData();
    this.close();
  }

  close(): void {
    this.#file.close();
    this.#synced.close();
  }

  #startSync(): void {
    if (this.#syncing !== undefined) return;
    this.#unsyncedBytes = 0;
    this.#syncing = this.#synced.syncData()
      .catch((error) => this.#failure ??= error)
      .then(() => this.#syncing = undefined);
  }
}
