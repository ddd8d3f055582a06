import { createHash, type Hash } from "node:crypto";
import { type Checksum, type Chunk, RunningChecksum } from "../../core/content.ts";
import type { Compression } from "../../schemas/resources.ts";
import { deflated, type Deflation, samplesShrink, shrinks } from "./deflation.ts";
import { type ContentDigest, ContentHasher } from "./hasher.ts";
import { type Crc32, type HashAlgorithm, newHash } from "./hashes.ts";
import {
  copyOf,
  type OpenFile,
  update,
  type WrittenContent,
  type WrittenPart,
} from "./open_file.ts";
import { type PackedBytes, packSmall, type SmallFile } from "./pack_small.ts";
import { StreamDeflation } from "./stream_deflation.ts";
import { Md5 } from "./md5.ts";
import { Md5Queue } from "./md5_queue.ts";
import { digestsBelow } from "./paths.ts";
import { UploadFile } from "./upload_file.ts";
import { orMissing, orMissingSync, readFullSync } from "../disk/files.ts";

/** A call for several files ends after this time even if there are more: other calls wait for it. */
const MAX_BATCH_MS = 10;

/** A file that is read to hash it. */
interface Hashing {
  readonly file: Deno.FsFile;
  readonly hasher: ContentHasher;
}

/**
 * Work on content that would block the serving thread: hashing uploads and compressing downloads.
 * Runs in worker threads (content_worker.ts). Uploads and deflations are known by ids.
 */
export class ContentTasks {
  readonly #uploads = new Map<number, OpenFile>();
  readonly #marks = new Map<number, OpenFile & { readonly size: number }>();
  readonly #hashings = new Map<number, Hashing>();
  readonly #hashes = new Map<number, Hash | Md5 | Crc32>();
  readonly #md5s = new Md5Queue();
  readonly #deflations = new Map<number, Deflation>();
  readonly #streams = new Map<number, StreamDeflation>();
  #lastId = 0;

  /** Creates the file, which must not exist, and returns the id of the upload. */
  async openUpload(path: string): Promise<number> {
    return this.#addUpload(await UploadFile.create(path));
  }

  /** Opens a file that another thread writes, to sync and to hash it, and returns the id of the upload. */
  async followUpload(path: string): Promise<number> {
    return this.#addUpload(await UploadFile.follow(path));
  }

  /** Opens the file of an upload again, cut to `size` bytes, and returns the id of the upload. */
  async reopenUpload(path: string, size: number): Promise<number> {
    return this.#addUpload(await UploadFile.reopen(path, size));
  }

  /** Opens a file to hash or write it from a position on, and returns the id of the upload. */
  async openUploadAt(path: string, position: number): Promise<number> {
    return this.#addUpload(await UploadFile.openAt(path, position));
  }

  /** Computes no SHA-256 of an upload, which {@link finishPart} ends. */
  withoutSha256(id: number): void {
    this.#uploads.set(id, { ...entryOf(this.#uploads, id), sha256: undefined });
  }

  /** Hashes the next bytes of a file that was opened again, and returns them: none at its end. */
  rehashUpload(id: number, memory: Chunk): Chunk {
    const upload = entryOf(this.#uploads, id);
    const chunk = upload.file.read(memory);
    update(upload, chunk);
    return chunk;
  }

  /** Syncs what has been appended, and returns the size of the file with that. */
  syncUpload(id: number): Promise<number> {
    return entryOf(this.#uploads, id).file.sync();
  }

  /** Remembers the state of an upload, for {@link revertUpload}. */
  markUpload(id: number): void {
    const upload = entryOf(this.#uploads, id);
    this.#marks.set(id, { ...copyOf(upload), size: upload.file.size });
  }

  /** Drops what was appended since {@link markUpload}. */
  async revertUpload(id: number): Promise<void> {
    const mark = entryOf(this.#marks, id);
    await mark.file.cut(mark.size);
    this.#uploads.set(id, copyOf(mark));
  }

  /** Appends the chunk to the file, and returns it so that the caller can reuse its memory. */
  writeUpload(id: number, chunk: Chunk): Chunk {
    const upload = entryOf(this.#uploads, id);
    upload.file.append(chunk);
    update(upload, chunk);
    return chunk;
  }

  /** Syncs and closes the file. */
  async finishUpload(id: number): Promise<WrittenContent> {
    const { sha256, ...written } = await this.finishPart(id);
    if (sha256 === undefined) throw new Error("The SHA-256 was not computed");
    return { ...written, sha256 };
  }

  /** Syncs and closes the file, of which the SHA-256 may not have been computed. */
  async finishPart(id: number): Promise<WrittenPart> {
    const { file, sha256, checksum } = entryOf(this.#uploads, id);
    await file.finish();
    this.#uploads.delete(id);
    this.#marks.delete(id);
    return { ...checksum, sha256: sha256 && new Uint8Array(sha256.digest()) };
  }

  /** Closes the file without syncing it. Does nothing if the upload has ended. */
  abortUpload(id: number): void {
    this.#uploads.get(id)?.file.close();
    this.#uploads.delete(id);
    this.#marks.delete(id);
  }

  /** Begins to compute a hash, and returns its id. */
  openHash(algorithm: HashAlgorithm): number {
    this.#hashes.set(++this.#lastId, newHash(algorithm));
    return this.#lastId;
  }

  /** Adds a chunk to hashes, and returns it so that the caller can reuse its memory. */
  async updateHashes(ids: readonly number[], chunk: Chunk): Promise<Chunk> {
    const hashes = ids.map((id) => entryOf(this.#hashes, id));
    const md5s = hashes.filter((hash) => hash instanceof Md5);
    for (const hash of hashes) if (!(hash instanceof Md5)) hash.update(chunk);
    if (md5s.length > 0) await this.#md5s.add(md5s.map((md5) => ({ md5, bytes: chunk })));
    return chunk;
  }

  /** Returns the id of another hash of the same bytes. */
  copyHash(id: number): number {
    this.#hashes.set(++this.#lastId, entryOf(this.#hashes, id).copy());
    return this.#lastId;
  }

  /** Ends a hash at any point, and returns it. */
  finishHash(id: number): Chunk {
    const hash = entryOf(this.#hashes, id);
    this.#hashes.delete(id);
    if (hash instanceof Md5) this.#md5s.end(hash);
    return new Uint8Array(hash.digest());
  }

  /** Opens a file to hash it, and returns its id; undefined if it is missing. */
  async openHashing(path: string): Promise<number | undefined> {
    const file = await orMissing(Deno.open(path));
    if (file === undefined) return undefined;
    this.#hashings.set(++this.#lastId, { file, hasher: new ContentHasher() });
    return this.#lastId;
  }

  /** Reads and hashes `count` more bytes of a file. Returns how many there were: 0 at its end. */
  hashNext(id: number, count: number): number {
    const { file, hasher } = entryOf(this.#hashings, id);
    const chunk = readFullSync(file, new Uint8Array(count));
    hasher.update(chunk);
    return chunk.length;
  }

  /** Closes a file at any point, and returns the digest of what was read of it. */
  finishHashing(id: number): ContentDigest {
    const { file, hasher } = entryOf(this.#hashings, id);
    this.#hashings.delete(id);
    file.close();
    return hasher.digest();
  }

  /**
   * Starts to compress a file, and returns the id of the deflation. Returns undefined if there is
   * no such file, or if `always` is false and the content would hardly shrink.
   */
  async openDeflation(path: string, always: boolean): Promise<number | undefined> {
    const file = await orMissing(Deno.open(path));
    if (file === undefined) return undefined;
    if (!always) {
      const worthwhile = await shrinks(file).catch((error) => {
        file.close();
        throw error;
      });
      if (!worthwhile) {
        file.close();
        return undefined;
      }
    }
    this.#deflations.set(++this.#lastId, deflated(file));
    return this.#lastId;
  }

  /** Returns the next chunk of compressed content, or undefined after the last one. */
  async nextDeflated(id: number): Promise<Chunk | undefined> {
    return (await entryOf(this.#deflations, id).content.next()).value;
  }

  /** The checksum of the bytes that were compressed so far. */
  deflatedChecksum(id: number): Checksum {
    return { ...entryOf(this.#deflations, id).checksum };
  }

  /** Ends a deflation at any point. */
  async closeDeflation(id: number): Promise<void> {
    const deflation = this.#deflations.get(id);
    this.#deflations.delete(id);
    await deflation?.content.return();
  }

  /** {@link samplesShrink} of samples of one length, one after the other. */
  samplesShrink(samples: Chunk, length: number): boolean {
    const starts = Array.from({ length: samples.length / length }, (_, index) => index * length);
    return samplesShrink(starts.map((start) => samples.subarray(start, start + length)));
  }

  /** Starts to compress content that the caller reads, and returns the id. */
  openStream(): number {
    this.#streams.set(++this.#lastId, new StreamDeflation());
    return this.#lastId;
  }

  /** Compresses a chunk. Returns what there is of compressed content; nothing for most chunks. */
  deflateChunk(id: number, chunk: Chunk): Promise<Chunk> {
    return entryOf(this.#streams, id).add(chunk);
  }

  /** Ends compressed content, and returns its last bytes. */
  endStream(id: number): Promise<Chunk> {
    return entryOf(this.#streams, id).end();
  }

  /** Forgets compressed content at any point, and returns the checksum of what was compressed. */
  closeStream(id: number): Checksum {
    const stream = entryOf(this.#streams, id);
    this.#streams.delete(id);
    return stream.close();
  }

  /** {@link digestsBelow} */
  hashesBelow(root: string, prefix: string): string[] {
    return digestsBelow(root, prefix);
  }

  /**
   * Returns the sizes of files, undefined for one that is missing. Returns fewer sizes than paths if it
   * takes long, but at least one.
   */
  sizesOf(paths: readonly string[]): (number | undefined)[] {
    return inTime(paths, (path) => orMissingSync(() => Deno.statSync(path))?.size);
  }

  /**
   * Reads and packs small files; returns undefined for one that is missing. Returns fewer results than
   * files if it takes long, but at least one.
   */
  packSmall(
    files: readonly SmallFile[],
    compression: Compression,
  ): (PackedBytes | undefined)[] {
    return inTime(files, (file) => packSmall(file, compression));
  }

  #addUpload(file: UploadFile): number {
    const upload = { file, sha256: createHash("sha256"), checksum: new RunningChecksum() };
    this.#uploads.set(++this.#lastId, upload);
    return this.#lastId;
  }
}

/** @throws {Error} when the work has ended. */
function entryOf<Entry>(entries: ReadonlyMap<number, Entry>, id: number): Entry {
  const entry = entries.get(id);
  if (entry === undefined) throw new Error(`The work ${id} has ended`);
  return entry;
}

/** Works on the items in order until all are done or {@link MAX_BATCH_MS} are over. */
function inTime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Result[] {
  const results: Result[] = [];
  const end = performance.now() + MAX_BATCH_MS;
  for (const item of items) {
    results.push(work(item));
    if (performance.now() >= end) break;
  }
  return results;
}
