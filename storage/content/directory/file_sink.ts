import type { Chunk } from "../../../core/content.ts";
import type { PooledWorker, WorkerPool } from "../../threads/pool.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { ContentDigest } from "../hasher.ts";
import type { ContentSink } from "../upload.ts";

/** The workers of an upload: one writes and computes the SHA-256, the other one the MD5s of all uploads. */
interface FileWorkers {
  readonly writer: PooledWorker<ContentTasks>;
  readonly id: number;
  readonly hasher: PooledWorker<ContentTasks>;
  readonly md5: number;
}

/** A file for content. */
export interface SinkFile {
  readonly path: string;
  /** Whether it has each chunk before the sink does. Otherwise it must not exist. @default false */
  readonly isWritten?: boolean;
}

/** Writes content to a new file, and hashes it. */
export class FileSink implements ContentSink {
  readonly #workers: FileWorkers;
  readonly #held: Disposable;

  private constructor(workers: FileWorkers, held: Disposable) {
    this.#workers = workers;
    this.#held = held;
  }

  static async open(
    pool: WorkerPool<ContentTasks>,
    { path, isWritten = false }: SinkFile,
  ): Promise<FileSink> {
    using held = new DisposableStack();
    const writer = held.use(pool.acquire());
    const hasher = held.use(pool.acquireShared());
    const [id, md5] = await Promise.all([
      isWritten ? writer.remote.followUpload(path) : writer.remote.openUpload(path),
      hasher.remote.openHash("md5"),
    ]);
    return new FileSink({ writer, id, hasher, md5 }, held.move());
  }

  async write(chunk: Chunk): Promise<Chunk> {
    const { writer, id, hasher, md5 } = this.#workers;
    const written = await writer.remote.writeUpload(id, chunk);
    return await hasher.remote.updateHashes([md5], written);
  }

  async finish(): Promise<ContentDigest> {
    const { writer, id, hasher, md5 } = this.#workers;
    const [written, hash] = await Promise.all([
      writer.remote.finishUpload(id),
      hasher.remote.finishHash(md5),
    ]);
    return { ...written, hash: hash.toHex() };
  }

  async abort(): Promise<void> {
    const { writer, id, hasher, md5 } = this.#workers;
    // A worker that died has closed the file. The caller reports the error that killed it.
    await Promise.allSettled([writer.remote.abortUpload(id), hasher.remote.finishHash(md5)]);
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}
