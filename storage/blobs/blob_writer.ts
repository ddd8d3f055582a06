import type { Chunk } from "../../core/content.ts";
import { KIB, MIB } from "../../schemas/units.ts";
import { writeSynced } from "../disk/files.ts";
import type { PooledWorker, WorkerPool } from "../threads/pool.ts";
import type { Remote } from "../threads/rpc.ts";
import { type ContentTasks, type Digest, Hasher } from "./content_tasks.ts";

/** Chunks are collected into buffers of this size: one write for each network read is slow. */
const BUFFER_BYTES = MIB;
/**
 * Content up to this size is kept in the database. It is hashed on the calling thread: a call to another
 * one takes longer.
 */
export const MAX_SMALL_BYTES = 64 * KIB;
/** Empty buffers kept for later uploads. */
const MAX_SPARE_BUFFERS = 8;

/** Content that was received. */
export interface ReceivedContent {
  readonly digest: Digest;
  /** Small content, which was not written to the file; undefined for content in the file. */
  readonly bytes: Chunk | undefined;
}

/** Receives content and hashes it. Worker threads write large content to new files on the way. */
export class BlobWriter {
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #requireSpace: () => void;
  readonly #buffers = new SpareBuffers();

  /** @param requireSpace Called before each write to a file. Throws to refuse it. */
  constructor(pool: WorkerPool<ContentTasks>, requireSpace: () => void) {
    this.#pool = pool;
    this.#requireSpace = requireSpace;
  }

  /**
   * Writes the content to a new file and syncs it. On failure the caller removes the file.
   *
   * @throws the error of `content` or `requireSpace`, unchanged.
   */
  async write(path: string, content: AsyncIterable<Chunk>): Promise<Digest> {
    const { digest, bytes } = await this.receive(path, content);
    if (bytes === undefined) return digest;
    await writeSynced(path, bytes);
    return digest;
  }

  /**
   * Returns small content. Writes larger content to a new file and syncs it; on failure the caller
   * removes the file.
   *
   * @throws the error of `content` or `requireSpace`, unchanged.
   */
  async receive(path: string, content: AsyncIterable<Chunk>): Promise<ReceivedContent> {
    using upload = new Upload({
      path,
      pool: this.#pool,
      buffers: this.#buffers,
      requireSpace: this.#requireSpace,
    });
    try {
      for await (const chunk of content) await upload.append(chunk);
      return await upload.finish();
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }
}

/** A file that a worker has open. */
interface OpenUpload {
  readonly remote: Remote<ContentTasks>;
  readonly id: number;
}

interface UploadParts {
  readonly path: string;
  readonly pool: WorkerPool<ContentTasks>;
  readonly buffers: SpareBuffers;
  readonly requireSpace: () => void;
}

/** Content on its way into one file. Acquires a worker only when the content is not small. */
class Upload implements Disposable {
  readonly #parts: UploadParts;
  #worker: PooledWorker<ContentTasks> | undefined;
  #opened: OpenUpload | undefined;
  /** One buffer is written and hashed while the next one fills. */
  #writing: Promise<void> = Promise.resolve();
  #buffer: Chunk | undefined;
  #filled = 0;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** Buffers a chunk, and flushes each buffer that is full. */
  async append(chunk: Chunk): Promise<void> {
    for (let offset = 0; offset < chunk.length;) {
      const buffer = this.#buffer ??= this.#parts.buffers.take();
      const part = chunk.subarray(offset, offset + buffer.length - this.#filled);
      buffer.set(part, this.#filled);
      this.#filled += part.length;
      offset += part.length;
      if (this.#filled === buffer.length) await this.flush();
    }
  }

  /** Passes the buffer to the worker once the previous write has completed. */
  async flush(): Promise<OpenUpload> {
    await this.#writing;
    this.#parts.requireSpace();
    const opened = this.#opened ??= await this.#open();
    if (this.#buffer === undefined) return opened;
    const bytes = this.#buffer.subarray(0, this.#filled);
    this.#buffer = undefined;
    this.#filled = 0;
    this.#writing = opened.remote.writeUpload(opened.id, bytes)
      .then((written) => this.#parts.buffers.keep(written));
    // The next await reports a failure, which may occur before it.
    this.#writing.catch(() => {});
    return opened;
  }

  /** Writes what is still buffered, syncs and closes the file, unless the content is small. */
  async finish(): Promise<ReceivedContent> {
    if (this.#opened === undefined && this.#filled <= MAX_SMALL_BYTES) return this.#small();
    const { remote, id } = await this.flush();
    await this.#writing;
    return { digest: await remote.finishUpload(id), bytes: undefined };
  }

  /** Closes the file after a failure. */
  async abort(): Promise<void> {
    await this.#writing.catch(() => {});
    // A worker that died has closed the file. The caller reports the error that killed it.
    await this.#opened?.remote.abortUpload(this.#opened.id).catch(() => {});
  }

  /** Releases the worker. */
  [Symbol.dispose](): void {
    this.#worker?.[Symbol.dispose]();
  }

  async #open(): Promise<OpenUpload> {
    const { remote } = this.#worker = this.#parts.pool.acquire();
    return { remote, id: await remote.openUpload(this.#parts.path) };
  }

  #small(): ReceivedContent {
    const { buffers, requireSpace } = this.#parts;
    requireSpace();
    const bytes = this.#buffer?.slice(0, this.#filled) ?? new Uint8Array();
    if (this.#buffer !== undefined) buffers.keep(this.#buffer);
    const hasher = new Hasher();
    hasher.update(bytes);
    return { digest: hasher.digest(), bytes };
  }
}

/** Buffers of {@link BUFFER_BYTES} that are reused. */
class SpareBuffers {
  readonly #spare: Chunk[] = [];

  take(): Chunk {
    return this.#spare.pop() ?? new Uint8Array(BUFFER_BYTES);
  }

  keep({ buffer }: Chunk): void {
    if (this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(new Uint8Array(buffer));
  }
}
