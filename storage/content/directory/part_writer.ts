import type { Chunk } from "../../../core/content.ts";
import { SPARE_MEMORY } from "../../../core/spare_memory.ts";
import type { ChecksumAlgorithm } from "../../../core/uploads.ts";
import type { PooledWorker, WorkerPool } from "../../threads/pool.ts";
import type { Remote } from "../../threads/rpc.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { WrittenPart } from "../open_file.ts";
import { PendingWrites } from "../pending_writes.ts";
import type { ContentDigest } from "../hasher.ts";

export interface PartWriterParts {
  readonly path: string;
  readonly pool: WorkerPool<ContentTasks>;
  /** Awaited before each write. Fails to refuse it. */
  readonly requireSpace: () => void | Promise<void>;
}

/** The hashes that a worker computes, by id. */
interface Hashes {
  readonly md5: number;
  /** The MD5 before the request. */
  readonly former: number;
  /** The checksum of the request, if the client states one. */
  readonly checksum: number | undefined;
}

/**
 * The open part of an upload: one worker writes it and computes the SHA-256, the other one the MD5s of all
 * uploads. Both keep the state of their hashes between requests.
 */
export class PartWriter {
  readonly #requireSpace: () => void | Promise<void>;
  readonly #workers = new DisposableStack();
  readonly #writer: PooledWorker<ContentTasks>;
  readonly #hasher: PooledWorker<ContentTasks>;
  readonly #writes = new PendingWrites();
  #id = 0;
  #hashes: Hashes = { md5: 0, former: 0, checksum: undefined };
  #size = 0;
  #formerSize = 0;

  private constructor({ pool, requireSpace }: PartWriterParts) {
    this.#requireSpace = requireSpace;
    this.#writer = this.#workers.use(pool.acquire());
    this.#hasher = this.#workers.use(pool.acquireShared());
  }

  /** Opens a part, cut to `size` bytes, and hashes them. */
  static open(parts: PartWriterParts, size: number): Promise<PartWriter> {
    return PartWriter.#opened(parts, async (part) => {
      await part.#open((remote) => remote.reopenUpload(parts.path, size));
      await part.rehash(size);
    });
  }

  /** Opens a file that has other content before a position, and maybe after the part. */
  static openAt(parts: PartWriterParts, position: number): Promise<PartWriter> {
    return PartWriter.#opened(
      parts,
      (part) => part.#open((remote) => remote.openUploadAt(parts.path, position)),
    );
  }

  static async #opened(
    parts: PartWriterParts,
    open: (part: PartWriter) => Promise<void>,
  ): Promise<PartWriter> {
    const part = new PartWriter(parts);
    try {
      await open(part);
      return part;
    } catch (error) {
      await part.close();
      throw error;
    }
  }

  /** The bytes that have been appended. */
  get size(): number {
    return this.#size;
  }

  get hasFailed(): boolean {
    return this.#writes.hasFailed;
  }

  /** Hashes what its file has, until it has hashed `size` bytes. */
  async rehash(size: number): Promise<void> {
    while (this.#size < size) {
      const memory = SPARE_MEMORY.take();
      const bytes = Math.min(memory.length, size - this.#size);
      await this.#hash(
        bytes,
        () => this.#writer.remote.rehashUpload(this.#id, memory.subarray(0, bytes)),
      );
    }
    await this.#writes.settle();
  }

  /** {@link OpenPart.begin} */
  async begin(algorithm: ChecksumAlgorithm | undefined): Promise<void> {
    await this.#forgetRequest();
    const { remote } = this.#hasher;
    const [former, checksum] = await Promise.all([
      remote.copyHash(this.#hashes.md5),
      algorithm && remote.openHash(algorithm),
      this.#writer.remote.markUpload(this.#id),
    ]);
    this.#hashes = { ...this.#hashes, former, checksum };
    this.#formerSize = this.#size;
  }

  /** Computes no SHA-256 of the part, which {@link finishPart} ends. */
  async withoutSha256(): Promise<void> {
    await this.#writer.remote.withoutSha256(this.#id);
  }

  /** Passes a chunk to the workers once few enough are pending. */
  async append(chunk: Chunk): Promise<void> {
    await this.#requireSpace();
    await this.#hash(chunk.length, () => this.#writer.remote.writeUpload(this.#id, chunk));
  }

  /** {@link OpenPart.sync} */
  async sync(): Promise<number> {
    await this.#writes.settle();
    return await this.#writer.remote.syncUpload(this.#id);
  }

  /** {@link OpenPart.checksum} */
  async checksum(): Promise<Chunk> {
    await this.#writes.settle();
    const { checksum } = this.#hashes;
    if (checksum === undefined) throw new Error("The request has no checksum");
    this.#hashes = { ...this.#hashes, checksum: undefined };
    return await this.#hasher.remote.finishHash(checksum);
  }

  /** {@link OpenPart.revert} */
  async revert(): Promise<void> {
    await this.#writes.settle();
    await this.#writer.remote.revertUpload(this.#id);
    const { md5, former } = this.#hashes;
    await this.#hasher.remote.finishHash(md5);
    this.#hashes = {
      ...this.#hashes,
      md5: former,
      former: await this.#hasher.remote.copyHash(former),
    };
    this.#size = this.#formerSize;
  }

  /** Syncs and closes the part. */
  finish(): Promise<ContentDigest> {
    return this.#finished((remote) => remote.finishUpload(this.#id));
  }

  /** Syncs and closes the part, of which the SHA-256 may not have been computed. */
  finishPart(): Promise<WrittenPart & Pick<ContentDigest, "hash">> {
    return this.#finished((remote) => remote.finishPart(this.#id));
  }

  async #finished<Written>(
    finish: (remote: Remote<ContentTasks>) => Promise<Written>,
  ): Promise<Written & Pick<ContentDigest, "hash">> {
    await this.#writes.settle();
    const [written, hash] = await Promise.all([
      finish(this.#writer.remote),
      this.#hasher.remote.finishHash(this.#hashes.md5),
    ]);
    this.#hashes = { ...this.#hashes, md5: 0 };
    await this.close();
    return { ...written, hash: hash.toHex() };
  }

  /** Closes the part at any point. */
  async close(): Promise<void> {
    await this.#writes.ended();
    // A worker that died has closed its file.
    await Promise.allSettled([
      this.#id > 0 && this.#writer.remote.abortUpload(this.#id),
      this.#hashes.md5 > 0 && this.#hasher.remote.finishHash(this.#hashes.md5),
      this.#forgetRequest(),
    ]);
    this.#workers[Symbol.dispose]();
  }

  async #open(open: (remote: Remote<ContentTasks>) => Promise<number>): Promise<void> {
    const [id, md5] = await Promise.all([
      open(this.#writer.remote),
      this.#hasher.remote.openHash("md5"),
    ]);
    this.#id = id;
    this.#hashes = { md5, former: 0, checksum: undefined };
  }

  /** Adds the chunk that `work` returns to the hashes. */
  async #hash(bytes: number, work: () => Promise<Chunk>): Promise<void> {
    const { md5, checksum } = this.#hashes;
    const ids = checksum === undefined ? [md5] : [md5, checksum];
    await this.#writes.add(async () => this.#hasher.remote.updateHashes(ids, await work()));
    this.#size += bytes;
  }

  async #forgetRequest(): Promise<void> {
    const { former, checksum } = this.#hashes;
    this.#hashes = { ...this.#hashes, former: 0, checksum: undefined };
    const { remote } = this.#hasher;
    if (former > 0) await remote.finishHash(former);
    if (checksum !== undefined) await remote.finishHash(checksum);
  }
}
