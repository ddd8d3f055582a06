import type { Chunk } from "../../../core/content.ts";
import { Semaphore } from "../../../core/semaphore.ts";
import type { ContentDigest } from "../hasher.ts";
import type { ContentSink } from "../upload.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { PooledWorker, WorkerPool } from "../../threads/pool.ts";
import type { Bucket, SentPart } from "./bucket.ts";
import { PartBuffer, partBytes } from "./part_buffer.ts";

/** How many parts of all uploads are on their way at a time. */
const MAX_SENDING = 4;
/** How many parts of one upload are on their way while the next one comes in. */
const MAX_AHEAD = 2;

const SENDING = new Semaphore(MAX_SENDING);
const NEVER = new AbortController().signal;

export interface ObjectSinkParts {
  readonly bucket: Bucket;
  readonly pool: WorkerPool<ContentTasks>;
  /** A path for a temporary file. */
  readonly temporaryPath: () => string;
}

/** The hashes that workers compute, by id. */
interface Hashing {
  readonly first: PooledWorker<ContentTasks>;
  readonly sha256: number;
  readonly crc32: number;
  readonly second: PooledWorker<ContentTasks>;
  readonly md5: number;
}

/**
 * Sends content to a new object, and hashes it. Content of one part is sent in one request; more in parts,
 * each of which is hashed before it is sent.
 */
export class ObjectSink implements ContentSink {
  readonly #key: string;
  readonly #parts: ObjectSinkParts;
  readonly #hashing: Hashing;
  readonly #held: Disposable;
  readonly #sent: SentPart[] = [];
  readonly #sending: Promise<void>[] = [];
  #failure: unknown;
  #order: Promise<unknown> = Promise.resolve();
  #part: PartBuffer | undefined;
  #number = 0;
  #size = 0;
  #uploadId: string | undefined;

  private constructor(key: string, parts: ObjectSinkParts, hashing: Hashing, held: Disposable) {
    this.#key = key;
    this.#parts = parts;
    this.#hashing = hashing;
    this.#held = held;
  }

  /** @param key The name of an object that is arriving. */
  static async open(key: string, parts: ObjectSinkParts): Promise<ObjectSink> {
    using held = new DisposableStack();
    const first = held.use(parts.pool.acquire());
    const second = held.use(parts.pool.acquireShared());
    const [sha256, crc32, md5] = await Promise.all([
      first.remote.openHash("sha256"),
      first.remote.openHash("crc32"),
      second.remote.openHash("md5"),
    ]);
    return new ObjectSink(key, parts, { first, sha256, crc32, second, md5 }, held.move());
  }

  async write(chunk: Chunk): Promise<Chunk> {
    const written = this.#order.then(() => this.#append(chunk));
    this.#order = written;
    await written;
    return chunk;
  }

  async finish(): Promise<ContentDigest> {
    const part = this.#part;
    if (part !== undefined && this.#uploadId === undefined) {
      await using last = part;
      using _permit = await SENDING.acquire(NEVER);
      const { body, crc32 } = await this.#hashed(last);
      await this.#parts.bucket.put(this.#key, body, crc32);
    } else {
      if (part !== undefined) await this.#send(part);
      await Promise.all(this.#sending);
      if (this.#failure !== undefined) throw this.#failure;
      const { bucket } = this.#parts;
      await bucket.completeUpload(this.#key, {
        uploadId: this.#uploadId ?? "",
        parts: this.#sent,
        size: this.#size,
      });
    }
    this.#part = undefined;
    return await this.#digest();
  }

  async abort(): Promise<void> {
    await Promise.all(this.#sending);
    await this.#part?.[Symbol.asyncDispose]();
    // A worker that died has lost its hashes. The caller reports the error that killed it.
    await this.#digest().catch(() => {});
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  async #append(chunk: Chunk): Promise<void> {
    for (let rest = chunk; rest.length > 0;) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#part?.isFull === true) {
        this.#uploadId ??= await this.#parts.bucket.beginUpload(this.#key);
        await this.#send(this.#part);
        this.#part = undefined;
      }
      const { temporaryPath } = this.#parts;
      this.#part ??= await PartBuffer.open(partBytes(++this.#number), temporaryPath());
      rest = await this.#part.append(rest);
    }
    this.#size += chunk.length;
  }

  /** Hashes a part, and begins to send it, once few enough are on their way: until then it may be in a file. */
  async #send(part: PartBuffer): Promise<void> {
    while (this.#sending.length >= MAX_AHEAD) await this.#sending[0];
    using held = new DisposableStack();
    held.use(await SENDING.acquire(NEVER));
    const number = this.#number;
    const { body, crc32 } = await this.#hashed(part);
    const permit = held.move();
    const sending = this.#sendPart({ number, body, crc32 })
      .catch((error) => {
        this.#failure ??= error;
      })
      .finally(async () => {
        permit[Symbol.dispose]();
        await part[Symbol.asyncDispose]();
        this.#sending.splice(this.#sending.indexOf(sending), 1);
      });
    this.#sending.push(sending);
  }

  async #sendPart(part: { number: number; body: Chunk; crc32: string }): Promise<void> {
    const uploadId = this.#uploadId ?? "";
    this.#sent[part.number - 1] = await this.#parts.bucket.putPart(this.#key, {
      ...part,
      uploadId,
    });
  }

  /** Adds a part to the hashes, and returns it with its CRC-32 in Base64. */
  async #hashed(part: PartBuffer): Promise<{ body: Chunk; crc32: string }> {
    const { first, sha256, crc32, second, md5 } = this.#hashing;
    const own = await first.remote.openHash("crc32");
    const read = await first.remote.updateHashes([sha256, crc32, own], await part.take());
    const body = await second.remote.updateHashes([md5], read);
    return { body, crc32: (await first.remote.finishHash(own)).toBase64() };
  }

  async #digest(): Promise<ContentDigest> {
    const { first, sha256, crc32, second, md5 } = this.#hashing;
    const [sha, crc, hash] = await Promise.all([
      first.remote.finishHash(sha256),
      first.remote.finishHash(crc32),
      second.remote.finishHash(md5),
    ]);
    return {
      hash: hash.toHex(),
      size: this.#size,
      crc32: new DataView(crc.buffer, crc.byteOffset).getUint32(0),
      sha256: sha,
    };
  }
}
