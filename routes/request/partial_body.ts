import type { Chunk } from "../../core/content.ts";
import { AppError } from "../../core/errors.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { KIB } from "../../schemas/units.ts";
import { BodyReader } from "./body.ts";

/** The memory that is read into at first. */
const MIN_MEMORY_BYTES = 64 * KIB;
/** Smaller reads are collected: a chunk takes large memory with it. */
const MIN_CHUNK_BYTES = 256 * KIB;

/** A body of which everything counts that has been received. */
export interface PartialBody {
  /** Yields all that was received before it fails. The memory of each chunk is the reader's. */
  readonly content: AsyncIterable<Chunk>;
  /** Ends the content early, with an error. */
  readonly cut: () => void;
}

/** Reads a body that is appended to an upload. Its size is limited by what the upload has left. */
export function partialBody(request: Request): PartialBody {
  const body = new BodyReader(request, "body", { maxBytes: Infinity });
  let isCut = false;
  return {
    content: read(body, () => isCut),
    cut() {
      isCut = true;
      body.cancel();
    },
  };
}

async function* read(body: BodyReader, isCut: () => boolean): AsyncGenerator<Chunk, void> {
  let memory: Chunk = new Uint8Array(MIN_MEMORY_BYTES);
  const collected = new Collected();
  try {
    for (;;) {
      const read = await body.readInto(memory, 0);
      memory = read.memory;
      if (read.bytes === 0) {
        // A body that was cut off before it was read looks like one at its end.
        if (isCut()) throw takenOver();
        break;
      }
      if (read.bytes >= MIN_CHUNK_BYTES) {
        // In order: what was collected came before.
        yield* collected.take();
        const full = memory;
        memory = SPARE_MEMORY.take();
        yield full.subarray(0, read.bytes);
        continue;
      }
      yield* collected.add(memory.subarray(0, read.bytes));
      if (read.bytes === memory.length) memory = SPARE_MEMORY.take();
    }
    yield* collected.take();
  } catch (error) {
    yield* collected.take();
    throw isCut() ? takenOver(error) : error;
  } finally {
    await body.cancel();
  }
}

/** Small reads, copied into large memory. */
class Collected {
  #memory: Chunk | undefined;
  #bytes = 0;

  /** Adds bytes. Yields what is full. */
  *add(bytes: Chunk): Generator<Chunk> {
    for (let offset = 0; offset < bytes.length;) {
      this.#memory ??= SPARE_MEMORY.take();
      const part = bytes.subarray(offset, offset + LARGE_CHUNK_BYTES - this.#bytes);
      this.#memory.set(part, this.#bytes);
      this.#bytes += part.length;
      offset += part.length;
      if (this.#bytes === LARGE_CHUNK_BYTES) yield* this.take();
    }
  }

  /** Yields what there is. */
  *take(): Generator<Chunk> {
    const memory = this.#memory;
    const bytes = this.#bytes;
    this.#memory = undefined;
    this.#bytes = 0;
    if (memory !== undefined) yield memory.subarray(0, bytes);
  }
}

function takenOver(cause?: unknown): AppError {
  return new AppError("ErrUploadsLocked", "Another request has taken the upload over", { cause });
}
