import type { Chunk } from "../../core/content.ts";
import type { Spool, SpoolReader, Spools } from "../../core/mirror/ports.ts";
import { readFull, removeFile, writeAll } from "../disk/files.ts";
import { Room } from "../disk/room.ts";
import { asStorageFull } from "../disk/storage_full.ts";

/** Keeps files that come in below `tmp/` of the data directory, which each start empties (C 12). */
export class SpoolFiles implements Spools {
  readonly #directory: string;
  readonly #room: Room;

  constructor(dataDir: string, reserveBytes: number) {
    this.#directory = `${dataDir}/tmp`;
    this.#room = new Room(this.#directory, reserveBytes);
  }

  async open(bytes: number): Promise<Spool> {
    await this.#room.require(bytes);
    const path = `${this.#directory}/${crypto.randomUUID()}`;
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    return new SpoolFile(path, file);
  }
}

class SpoolFile implements Spool {
  constructor(readonly path: string, private readonly file: Deno.FsFile) {}

  async append(chunk: Uint8Array): Promise<void> {
    try {
      await writeAll(this.file, chunk);
    } catch (error) {
      throw asStorageFull(error);
    }
  }

  async read(): Promise<SpoolReader> {
    return new SpoolFileReader(await Deno.open(this.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.file.close();
    await removeFile(this.path);
  }
}

/** Has a position of its own in the file, and keeps it after it has been removed. */
class SpoolFileReader implements SpoolReader {
  /** Where the next read begins. Undefined after one that has failed. */
  #position: number | undefined = 0;

  constructor(private readonly file: Deno.FsFile) {}

  async bytes(start: number, end: number): Promise<Chunk> {
    // Each call of the runtime takes as long as reading the bytes.
    if (start !== this.#position) await this.file.seek(start, Deno.SeekMode.Start);
    this.#position = undefined;
    const bytes = await readFull(this.file, new Uint8Array(end - start));
    this.#position = start + bytes.length;
    return bytes;
  }

  [Symbol.dispose](): void {
    this.file.close();
  }
}
