import { MIB } from "../../schemas/units.ts";
import { writeAll } from "../disk/files.ts";

/** After this much, what was written is synced while more comes in, so that the last sync is short. */
const SYNC_BYTES = 32 * MIB;

/** A new file that content is appended to. */
export class UploadFile {
  readonly #file: Deno.FsFile;
  /** For syncs on the way: calls for one open file wait for one another. */
  readonly #synced: Deno.FsFile;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;
  #unsyncedBytes = 0;
  #failure: unknown;

  private constructor(file: Deno.FsFile, synced: Deno.FsFile) {
    this.#file = file;
    this.#synced = synced;
  }

  /** Creates the file, which must not exist. */
  static async create(path: string): Promise<UploadFile> {
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    try {
      return new UploadFile(file, await Deno.open(path, { write: true }));
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Appends bytes after those of earlier calls. Resolves when they are written. */
  append(bytes: Uint8Array): Promise<void> {
    const written = this.#writing.then(async () => {
      await writeAll(this.#file, bytes);
      this.#unsyncedBytes += bytes.length;
      if (this.#unsyncedBytes >= SYNC_BYTES) this.#startSync();
    });
    this.#writing = written;
    return written;
  }

  /**
   * Syncs the file and closes it.
   *
   * @throws the error of a write or sync.
   */
  async finish(): Promise<void> {
    await this.#writing;
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
