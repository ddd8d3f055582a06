import type { Chunk } from "../../../core/content.ts";
import { MIB } from "../../../schemas/units.ts";
import { readFull, removeFile, writeAll } from "../../disk/files.ts";

/** The size of a part. */
export const PART_BYTES = 8 * MIB;
/**
 * The sizes of parts, and up to which number: a store has a limit of 10 000 parts. Parts grow, as each one is in
 * memory while it is sent. Objects have up to 1062 GiB, as the largest file by default has 1 TiB.
 */
const SIZES = [
  { upTo: 4000, bytes: PART_BYTES },
  { upTo: 7000, bytes: 64 * MIB },
  { upTo: 10_000, bytes: 288 * MIB },
] as const;
/** How many bytes of unfinished parts are in memory. Further ones are in files. */
const MAX_MEMORY = 8 * PART_BYTES;

/** The bytes of unfinished parts of all uploads in memory. */
let held = 0;

/** The size of a part by its number, from 1. */
export function partBytes(number: number): number {
  const size = SIZES.find(({ upTo }) => number <= upTo);
  if (size !== undefined) return size.bytes;
  throw new Error("Content has more than 1062 GiB, which an object cannot have");
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
