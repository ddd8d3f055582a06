import { createDeflateRaw } from "node:zlib";
import { type Checksum, type Chunk, joinChunks, RunningChecksum } from "../../core/content.ts";
import { DEFLATE_BUFFER_BYTES, DEFLATE_LEVEL } from "./deflation.ts";

/** Compresses content chunk by chunk. */
export class StreamDeflation {
  readonly #deflate = createDeflateRaw({
    level: DEFLATE_LEVEL,
    chunkSize: DEFLATE_BUFFER_BYTES,
  });
  readonly #checksum = new RunningChecksum();
  #ready: Uint8Array[] = [];

  constructor() {
    this.#deflate.on("data", (bytes: Uint8Array) => this.#ready.push(bytes));
  }

  /** Compresses a chunk. Returns what is ready. */
  add(chunk: Chunk): Promise<Chunk> {
    this.#checksum.update(chunk);
    return new Promise((resolve, reject) => {
      this.#deflate.write(chunk, (error) => error ? reject(error) : resolve(this.#take()));
    });
  }

  /** Ends the content, and returns the rest. */
  end(): Promise<Chunk> {
    return new Promise((resolve, reject) => {
      this.#deflate.once("end", () => resolve(this.#take()));
      this.#deflate.once("error", reject);
      this.#deflate.end();
    });
  }

  /** Releases memory. Returns the checksum of what was compressed. */
  close(): Checksum {
    this.#deflate.destroy();
    return { ...this.#checksum };
  }

  #take(): Chunk {
    const bytes = joinChunks(this.#ready);
    this.#ready = [];
    return bytes;
  }
}
