import type { StagedBlob } from "../../../core/blob_store.ts";
import { type Chunk, joinChunks } from "../../../core/content.ts";
import { SPARE_MEMORY } from "../../../core/spare_memory.ts";
import {
  type ChecksumAlgorithm,
  type OpenPart,
  type PartDigests,
  uploadEnded,
} from "../../../core/uploads.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { HashAlgorithm } from "../hashes.ts";
import { MAX_SMALL_BYTES } from "../upload.ts";
import type { NewPart, PartTable, UploadPart, UploadTurn } from "../part_table.ts";
import type { PooledWorker, WorkerPool } from "../../threads/pool.ts";
import { asUnavailable } from "./failures.ts";
import type { ObjectSink } from "./object_sink.ts";
import { PART_BYTES } from "./part_buffer.ts";
import { TailBuffer } from "./tail_buffer.ts";

export interface ObjectPartParts {
  readonly table: PartTable;
  readonly pool: WorkerPool<ContentTasks>;
  /** A path for a temporary file. */
  readonly temporaryPath: () => string;
  /** Begins a new object. */
  readonly openObject: () => Promise<ArrivingObject>;
  /** Gives up an object that is not to be a part. */
  readonly giveUp: (key: string) => Promise<void>;
  /** Reads the first bytes of an object. */
  readonly read: (key: string, size: number) => AsyncIterable<Chunk>;
  readonly stage: (content: AsyncIterable<Chunk>) => Promise<StagedBlob>;
}

/** The hashes of a request, by their ids. */
interface Hashing {
  readonly worker: PooledWorker<ContentTasks>;
  readonly ids: number[];
}

/** An object on its way. */
export interface ArrivingObject {
  readonly key: string;
  readonly sink: ObjectSink;
}

/**
 * What an upload has received, in order: objects, each of which had the size of a part or more, then fewer
 * bytes than that in the database. So small requests, however many, make few objects.
 * See docs/design/resumable_uploads.md.
 */
export class ObjectPart implements OpenPart {
  readonly #parts: ObjectPartParts;
  readonly #upload: UploadTurn;
  /** What is durable. */
  #stored: readonly UploadPart[];
  /** What has come since, until that is enough for an object. */
  #tail: TailBuffer | undefined;
  #object: ArrivingObject & { bytes: number } | undefined;
  /** The size before the request. */
  #former: number;
  #hashing: Hashing | undefined;
  #failure: unknown;
  #order: Promise<unknown> = Promise.resolve();

  constructor(upload: UploadTurn, stored: readonly UploadPart[], parts: ObjectPartParts) {
    this.#upload = upload;
    this.#stored = stored;
    this.#parts = parts;
    this.#former = endOf(stored);
  }

  get turn(): number {
    return this.#upload.turn;
  }

  get position(): number {
    return 0;
  }

  async begin(algorithm: ChecksumAlgorithm | undefined): Promise<void> {
    this.#former = endOf(this.#stored);
    if (algorithm !== undefined) await this.#openHashes(algorithm);
  }

  async beginWhole(wantsSha256: boolean): Promise<void> {
    await this.#openHashes("md5", "crc32", ...wantsSha256 ? ["sha256"] as const : []);
  }

  append(chunk: Chunk): Promise<void> {
    return this.#next(async () => {
      const hashed = await this.#hashed(chunk);
      let rest = hashed;
      while (this.#object === undefined && rest.length > 0) {
        this.#tail ??= this.#newTail();
        rest = await this.#tail.append(rest);
        if (this.#tail.isFull) this.#object = await this.#begun(this.#tail);
      }
      if (this.#object !== undefined) await send(this.#object, rest);
      SPARE_MEMORY.keep(hashed);
    });
  }

  sync(): Promise<number> {
    return this.#next(async () => {
      if (this.#object !== undefined) await this.#endObject(this.#object);
      else if (this.#tail !== undefined) await this.#store(this.#tail);
      return endOf(this.#stored);
    });
  }

  checksum(): Promise<Chunk> {
    return this.#next(async () => {
      const [checksum] = await this.#endHashes();
      if (checksum === undefined) throw new Error("The request has no checksum");
      return checksum;
    });
  }

  async end(): Promise<PartDigests> {
    await this.sync();
    return await this.#next(async () => {
      const [md5, crc32, sha256] = await this.#endHashes();
      if (md5 === undefined || crc32 === undefined) {
        throw new Error("The part was not begun as a whole");
      }
      const { buffer, byteOffset } = crc32;
      const value = new DataView(buffer, byteOffset).getUint32(0);
      return { hash: md5.toHex(), sha256: sha256?.toHex(), crc32: value };
    });
  }

  async revert(): Promise<void> {
    await this.#order;
    await this.#drop();
    this.#failure = undefined;
    if (endOf(this.#stored) > this.#former) await this.#replace(this.#former, []);
  }

  finish(): Promise<StagedBlob> {
    return this.#next(() => this.#parts.stage(this.content()));
  }

  /** What is durable. */
  content(): AsyncGenerator<Chunk> {
    return this.#content(this.#stored);
  }

  async close(): Promise<void> {
    await this.#order;
    await this.#drop();
    // A worker that died has lost its hashes.
    await this.#endHashes().catch(() => {});
  }

  async #openHashes(...algorithms: readonly HashAlgorithm[]): Promise<void> {
    const worker = this.#parts.pool.acquire();
    this.#hashing = { worker, ids: [] };
    for (const it of algorithms) this.#hashing.ids.push(await worker.remote.openHash(it));
  }

  async #endHashes(): Promise<Chunk[]> {
    if (this.#hashing === undefined) return [];
    const { worker, ids } = this.#hashing;
    this.#hashing = undefined;
    using _worker = worker;
    return await Promise.all(ids.map((id) => worker.remote.finishHash(id)));
  }

  /** Runs work after that before. After a failure, nothing more is received. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#order.then(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return await work();
      } catch (error) {
        throw this.#failure = asUnavailable(error);
      }
    });
    this.#order = result.catch(() => {});
    return result;
  }

  async #hashed(chunk: Chunk): Promise<Chunk> {
    if (this.#hashing === undefined) return chunk;
    const { worker, ids } = this.#hashing;
    return await worker.remote.updateHashes(ids, chunk);
  }

  /** The parts in the database, which the next object begins with. */
  get #small(): readonly UploadPart[] {
    const last = this.#stored.findLastIndex(({ object }) => object !== undefined);
    return this.#stored.slice(last + 1);
  }

  #newTail(): TailBuffer {
    const small = this.#small.reduce((bytes, { size }) => bytes + size, 0);
    return new TailBuffer(Math.max(PART_BYTES - small, 1), this.#parts.temporaryPath());
  }

  /** An object that begins with what is in the database and what has come. */
  async #begun(tail: TailBuffer): Promise<ArrivingObject & { bytes: number }> {
    const object = this.#object = { ...await this.#parts.openObject(), bytes: 0 };
    for await (const chunk of this.#content(this.#small)) await send(object, chunk);
    await send(object, await tail.take());
    await this.#dropTail();
    return object;
  }

  /** Makes the object durable, in place of the parts in the database. */
  async #endObject({ key, sink, bytes }: ArrivingObject & { bytes: number }): Promise<void> {
    await sink.finish();
    const position = this.#small[0]?.position ?? endOf(this.#stored);
    await this.#replace(position, [{ object: key, size: bytes }]);
    this.#object = undefined;
    sink[Symbol.dispose]();
  }

  /** Adds what has come to the parts in the database, the last of which may have room left. */
  async #store(tail: TailBuffer): Promise<void> {
    const last = this.#small.at(-1);
    const hasRoom = last !== undefined && last.size < MAX_SMALL_BYTES;
    const chunks = [await tail.take()];
    if (hasRoom) chunks.unshift(await this.#parts.table.bytesOf(this.#upload.id, last.position));
    const bytes = joinChunks(chunks);
    const pieces: NewPart[] = [];
    for (let at = 0; at < bytes.length; at += MAX_SMALL_BYTES) {
      pieces.push({ bytes: bytes.subarray(at, at + MAX_SMALL_BYTES) });
    }
    await this.#replace(hasRoom ? last.position : endOf(this.#stored), pieces);
    await this.#dropTail();
  }

  async #replace(position: number, parts: readonly NewPart[]): Promise<void> {
    if (!await this.#parts.table.replace(this.#upload, position, parts)) throw uploadEnded();
    const kept = this.#stored.flatMap((part) => {
      const size = Math.min(part.size, position - part.position);
      return size > 0 ? { ...part, size } : [];
    });
    for (const part of parts) {
      const isSmall = "bytes" in part;
      const size = isSmall ? part.bytes.length : part.size;
      kept.push({ position: endOf(kept), size, object: isSmall ? undefined : part.object });
    }
    this.#stored = kept;
  }

  async *#content(stored: readonly UploadPart[]): AsyncGenerator<Chunk> {
    const { table, read } = this.#parts;
    for (const { position, size, object } of stored) {
      if (object === undefined) yield await table.bytesOf(this.#upload.id, position);
      else yield* read(object, size);
    }
  }

  async #dropTail(): Promise<void> {
    await this.#tail?.[Symbol.asyncDispose]();
    this.#tail = undefined;
  }

  /** Drops what is not durable. */
  async #drop(): Promise<void> {
    await this.#dropTail();
    const object = this.#object;
    this.#object = undefined;
    if (object === undefined) return;
    using sink = object.sink;
    await sink.abort();
    await this.#parts.giveUp(object.key);
  }
}

async function send(object: ArrivingObject & { bytes: number }, chunk: Chunk): Promise<void> {
  object.bytes += chunk.length;
  await object.sink.write(chunk);
}

/** The size of all parts. */
function endOf(parts: readonly UploadPart[]): number {
  const last = parts.at(-1);
  return last === undefined ? 0 : last.position + last.size;
}
