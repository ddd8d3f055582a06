import type { Chunk } from "../../core/content.ts";
import { MIB } from "../../schemas/units.ts";
import { readFull, removeFile, writeAll } from "../disk/files.ts";

/** Parts up to this number have {@link PART_BYTES}; a store has a limit of 10 000 parts. */
const MAX_SMALL_PARTS = 5000;
const MAX_PARTS = 10_000;
/** The size of a part, and that of the later ones: objects have up to 360 GiB. */
export const PART_BYTES = 8 * MIB;
const LATER_PART_BYTES = 64 * MIB;
/** How many bytes of unfinished parts are in memory. Further ones are in files. */
const MAX_MEMORY = 8 * PART_BYTES;

/** The bytes of unfinished parts of all uploads in memory. */
let held = 0;

/** The size of a part by its number, from 1. */
export function partBytes(number: number): number {
  if (number > MAX_PARTS) {
    const size = MAX_SMALL_PARTS * PART_BYTES + (MAX_PARTS - MAX_SMALL_PARTS) * LATER_PART_BYTES;
    throw new Error(`Content has more than ${size} bytes, which an object cannot have`);
  }
  return number <= MAX_SMALL_PARTS ? PART_BYTES : LATER_PART_BYTES;
}

/**
 * The next part of an object, while it comes in: in memory if there is enough of it, otherwise in a
 * temporary file, as many clients may send slowly at once.
 */
export class PartBuffer implements AsyncDisposable {
  readonly #size: number;
  readonly #path: string;
  #bytes: Chunk | undefined;
  #file: Deno.FsFile | undefined;
  #filled = 0;

  private constructor(size: number, path: string) {
    this.#size = size;
    this.#path = path;
  }

  /** @param path A file that does not exist. */
  static async open(size: number, path: string): Promise<PartBuffer> {
    const buffer = new PartBuffer(size, path);
    if (held + size <= MAX_MEMORY) {
      held += size;
      buffer.#bytes = new Uint8Array(size);
    } else {
      const options = { read: true, write: true, createNew: true, mode: 0o600 };
      buffer.#file = await Deno.open(path, options);
    }
    return buffer;
  }

  get isFull(): boolean {
    return this.#filled === this.#size;
  }

  /** Appends as much of a chunk as there is room for, and returns the rest. */
  async append(chunk: Chunk): Promise<Chunk> {
    const bytes = chunk.subarray(0, this.#size - this.#filled);
    this.#bytes?.set(bytes, this.#filled);
    if (this.#file !== undefined) await writeAll(this.#file, bytes);
    this.#filled += bytes.length;
    return chunk.subarray(bytes.length);
  }

  /** Returns what was appended. Call it once. */
  async take(): Promise<Chunk> {
    if (this.#bytes !== undefined) return this.#bytes.subarray(0, this.#filled);
    await this.#file?.seek(0, Deno.SeekMode.Start);
    const bytes = new Uint8Array(this.#filled);
    return this.#file === undefined ? bytes : await readFull(this.#file, bytes);
  }

  /** Releases memory, or removes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#bytes !== undefined) held -= this.#size;
    this.#bytes = undefined;
    if (this.#file === undefined) return;
    this.#file.close();
    this.#file = undefined;
    await removeFile(this.#path);
  }
}
