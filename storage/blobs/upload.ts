import { createHash } from "node:crypto";
import type { Chunk } from "../../core/content.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { KIB } from "../../schemas/units.ts";
import type { PooledWorker, WorkerPool } from "../threads/pool.ts";
import type { ContentTasks } from "./content_tasks.ts";
import { type Digest, Hasher } from "./hasher.ts";
import { PendingWrites } from "./pending_writes.ts";

/**
 * Content up to this size is kept in the database. It is hashed on the calling thread: a call to another
 * one takes longer.
 */
export const MAX_SMALL_BYTES = 64 * KIB;
/** The first buffer of content has this size, and grows with small content. */
const MIN_BUFFER_BYTES = 4 * KIB;

/** All that is computed of content as it comes in. */
export interface ContentDigest extends Digest {
  readonly sha256: Chunk;
}

/** Content that was received. */
export interface ReceivedContent {
  readonly digest: ContentDigest;
  /** Small content, which was not written to the file; undefined for content in the file. */
  readonly bytes: Chunk | undefined;
}

export interface UploadParts {
  readonly path: string;
  readonly pool: WorkerPool<ContentTasks>;
  readonly requireSpace: () => void;
}

/** The workers of an upload: one writes and computes the SHA-256, another one computes the MD5. */
interface OpenUpload {
  readonly writer: PooledWorker<ContentTasks>;
  readonly id: number;
  readonly hasher: PooledWorker<ContentTasks>;
  readonly md5: number;
}

/** Content on its way into one file. Acquires workers only when the content is not small. */
export class Upload implements Disposable {
  readonly #parts: UploadParts;
  readonly #workers = new DisposableStack();
  readonly #writes = new PendingWrites();
  #opened: OpenUpload | undefined;
  #buffer: Chunk | undefined;
  #filled = 0;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** Writes a large chunk, whose memory is given away. Collects small ones until they are a large one. */
  async append(chunk: Chunk): Promise<void> {
    if (this.#filled === 0 && chunk.length > MAX_SMALL_BYTES) return await this.#write(chunk);
    for (let offset = 0; offset < chunk.length;) {
      const buffer = this.#roomFor(chunk.length - offset);
      const part = chunk.subarray(offset, offset + buffer.length - this.#filled);
      buffer.set(part, this.#filled);
      this.#filled += part.length;
      offset += part.length;
      if (this.#filled === LARGE_CHUNK_BYTES) await this.#flush();
    }
  }

  /** Writes what is still buffered, syncs and closes the file, unless the content is small. */
  async finish(): Promise<ReceivedContent> {
    if (this.#opened === undefined && this.#filled <= MAX_SMALL_BYTES) return this.#small();
    await this.#flush();
    await this.#writes.settle();
    const { writer, id, hasher, md5 } = await this.#start();
    const [written, hash] = await Promise.all([
      writer.remote.finishUpload(id),
      hasher.remote.finishHash(md5),
    ]);
    return { digest: { ...written, hash: hash.toHex() }, bytes: undefined };
  }

  /** Closes the file after a failure. */
  async abort(): Promise<void> {
    await this.#writes.ended();
    if (this.#opened === undefined) return;
    const { writer, id, hasher, md5 } = this.#opened;
    // A worker that died has closed the file. The caller reports the error that killed it.
    await Promise.allSettled([
      writer.remote.abortUpload(id),
      hasher.remote.finishHash(md5),
    ]);
  }

  /** Releases the workers. */
  [Symbol.dispose](): void {
    this.#workers[Symbol.dispose]();
  }

  /** A buffer that is not full. */
  #roomFor(bytes: number): Chunk {
    const buffer = this.#buffer;
    if (buffer !== undefined && this.#filled < buffer.length) return buffer;
    const needed = this.#filled + bytes;
    const isSmall = this.#opened === undefined && needed <= MAX_SMALL_BYTES;
    const size = Math.max(MIN_BUFFER_BYTES, needed, 2 * this.#filled);
    const next = isSmall ? new Uint8Array(Math.min(size, MAX_SMALL_BYTES)) : SPARE_MEMORY.take();
    if (buffer !== undefined) next.set(buffer);
    return this.#buffer = next;
  }

  /** Writes what was collected. */
  async #flush(): Promise<void> {
    const bytes = this.#buffer?.subarray(0, this.#filled);
    this.#buffer = undefined;
    this.#filled = 0;
    if (bytes !== undefined) await this.#write(bytes);
  }

  /** Passes a chunk to the workers once few enough are pending. */
  async #write(chunk: Chunk): Promise<void> {
    this.#parts.requireSpace();
    const { writer, id, hasher, md5 } = await this.#start();
    await this.#writes.add(async () => {
      const written = await writer.remote.writeUpload(id, chunk);
      return await hasher.remote.updateHashes([md5], written);
    });
  }

  async #start(): Promise<OpenUpload> {
    return this.#opened ??= await this.#open();
  }

  async #open(): Promise<OpenUpload> {
    const writer = this.#workers.use(this.#parts.pool.acquire());
    const hasher = this.#workers.use(this.#parts.pool.acquire());
    const [id, md5] = await Promise.all([
      writer.remote.openUpload(this.#parts.path),
      hasher.remote.openHash("md5"),
    ]);
    return { writer, id, hasher, md5 };
  }

  #small(): ReceivedContent {
    this.#parts.requireSpace();
    const bytes = this.#buffer?.slice(0, this.#filled) ?? new Uint8Array();
    const hasher = new Hasher();
    hasher.update(bytes);
    const sha256 = new Uint8Array(createHash("sha256").update(bytes).digest());
    return { digest: { ...hasher.digest(), sha256 }, bytes };
  }
}
