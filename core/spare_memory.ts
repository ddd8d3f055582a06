import { KIB, MIB } from "../schemas/units.ts";
import type { Chunk } from "./content.ts";

/**
 * The size of a large chunk: reading, hashing and writing less at a time takes longer. So does writing
 * 1 MiB at a time: where it is aligned, Linux (6.18) looks for as much contiguous memory, which takes four
 * times as long as the write when memory is fragmented.
 */
export const LARGE_CHUNK_BYTES = MIB - 4 * KIB;
/** Pieces of memory kept for later chunks. */
const MAX_SPARE = 16;

/**
 * Memory of {@link LARGE_CHUNK_BYTES} for content on its way through the process. Who takes it may give
 * it away with a chunk; who has the chunk last keeps the memory for the next one.
 */
export class SpareMemory {
  readonly #spare: Chunk[] = [];

  /** Memory with any bytes in it. */
  take(): Chunk {
    return this.#spare.pop() ?? new Uint8Array(LARGE_CHUNK_BYTES);
  }

  /** Keeps the memory of a chunk, which nothing may use any more. */
  keep({ buffer }: Chunk): void {
    const isLarge = buffer.byteLength === LARGE_CHUNK_BYTES;
    if (isLarge && this.#spare.length < MAX_SPARE) this.#spare.push(new Uint8Array(buffer));
  }
}

/** The spare memory of this thread. */
export const SPARE_MEMORY = new SpareMemory();
