import { type Chunk, joinChunks } from "../../../core/content.ts";
import { MAX_SMALL_BYTES } from "../upload.ts";
import { PartBuffer } from "./part_buffer.ts";

/** What has come of an upload and is not stored yet: few bytes in memory of their own, more as a part is. */
export class TailBuffer implements AsyncDisposable {
  readonly #capacity: number;
  readonly #path: string;
  #few: Chunk[] = [];
  #many: PartBuffer | undefined;
  #bytes = 0;

  /** @param path A file that does not exist. */
  constructor(capacity: number, path: string) {
    this.#capacity = capacity;
    this.#path = path;
  }

  get isFull(): boolean {
    return this.#bytes === this.#capacity;
  }

  /** Appends as much of a chunk as there is room for, and returns the rest. */
  async append(chunk: Chunk): Promise<Chunk> {
    const bytes = chunk.subarray(0, this.#capacity - this.#bytes);
    this.#bytes += bytes.length;
    if (this.#bytes <= MAX_SMALL_BYTES) {
      // Its memory is used again.
      this.#few.push(bytes.slice());
    } else {
      this.#many ??= await PartBuffer.open(this.#capacity, this.#path);
      for (const few of this.#few.splice(0)) await this.#many.append(few);
      await this.#many.append(bytes);
    }
    return chunk.subarray(bytes.length);
  }

  /** Returns what was appended. Call it once. */
  async take(): Promise<Chunk> {
    return await this.#many?.take() ?? joinChunks(this.#few);
  }

  /** Releases memory, or removes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#many?.[Symbol.asyncDispose]();
  }
}
