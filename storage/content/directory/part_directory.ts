import type { StagedBlob } from "../../../core/blob_store.ts";
import type { Chunk } from "../../../core/content.ts";
import { SPARE_MEMORY } from "../../../core/spare_memory.ts";
import type { LfsObject, ParkedContent } from "../../../core/lfs_objects.ts";
import {
  type OpenPart,
  type PartContent,
  type PartPlace,
  type PartStore,
  uploadEnded,
} from "../../../core/uploads.ts";
import { uploadDirectory } from "../../disk/data_directory.ts";
import {
  makeDirectorySync,
  orMissing,
  removeFile,
  syncDirectory,
  writeSynced,
} from "../../disk/files.ts";
import { asStorageFull } from "../../disk/storage_full.ts";
import type { WorkerPool } from "../../threads/pool.ts";
import type { ContentTasks } from "../content_tasks.ts";
import { Assemblies } from "./assemblies.ts";
import { PartWriter } from "./part_writer.ts";
import { StagedBlobFile } from "../staged_blob_file.ts";
import { StagedSmallBlob } from "../staged_small_blob.ts";
import type { ContentDigest } from "../hasher.ts";

/** How long a part stays open for the next request, in milliseconds. */
const MAX_IDLE_MS = 60_000;
/** How many parts stay open. */
const MAX_IDLE_PARTS = 32;

export interface PartDirectoryOptions {
  readonly pool: WorkerPool<ContentTasks>;
  /** Awaited before each write, of so many bytes if that is known. Fails to refuse it. */
  readonly requireSpace: (bytes?: number) => void | Promise<void>;
  /** Makes content of a file that is kept until its record has been committed. */
  readonly stage: (path: string, digest: ContentDigest) => Promise<StagedBlob>;
  /** Writes content to a new file. */
  readonly stageCopy: (content: AsyncIterable<Chunk>) => Promise<StagedBlob>;
}

interface IdlePart {
  readonly writer: PartWriter;
  readonly end: ReturnType<typeof setTimeout>;
}

/**
 * The files below `uploads/`, with an id as their name: one for each unfinished upload (C 21), and one for
 * each content that waits for a commit (C 20).
 * See docs/design/resumable_uploads.md.
 */
export class PartDirectory implements PartStore, ParkedContent, AsyncDisposable {
  readonly #root: string;
  readonly #options: PartDirectoryOptions;
  /** Open parts without a request, the one that was used last at the end. */
  readonly #idle = new Map<string, IdlePart>();
  readonly #assemblies = new Assemblies({
    pathOf: (id) => this.#pathOf(id),
    createFile: (id) => this.#createFile(id),
    openAt: (id, position) => this.#openAt(id, position),
  });

  /** Creates `uploads/` in the data directory if it is missing. */
  constructor(dataDir: string, options: PartDirectoryOptions) {
    this.#root = uploadDirectory(dataDir);
    this.#options = options;
    makeDirectorySync(this.#root);
  }

  async create(id: string, place?: PartPlace): Promise<void> {
    try {
      await this.#options.requireSpace();
      if (place === undefined || !await this.#assemblies.create(id, place)) this.#createFile(id);
      await syncDirectory(this.#root);
    } catch (error) {
      throw asStorageFull(error);
    }
  }

  async open(id: string, size: number): Promise<OpenPart> {
    const { pool, requireSpace, stage } = this.#options;
    const path = this.#pathOf(id);
    const assembly = this.#assemblies.of(id);
    const position = assembly?.positionOf(id) ?? 0;
    const idle = this.#take(id);
    if (idle !== undefined && idle.size !== size) await idle.close();
    const writer = idle?.size === size
      ? idle
      : assembly === undefined
      ? await PartWriter.open({ path, pool, requireSpace }, size)
      : await this.#openAt(id, position);
    let isOpen = true;
    return {
      turn: 0,
      position,
      // All else of a file is hashed anyway.
      beginWhole: (wantsSha256) => wantsSha256 ? Promise.resolve() : writer.withoutSha256(),
      begin: (checksum) => writer.begin(checksum),
      append: (chunk) => writer.append(chunk).catch(rethrowFull),
      sync: () => writer.sync().catch(rethrowFull),
      checksum: () => writer.checksum(),
      revert: () => writer.revert(),
      async finish() {
        isOpen = false;
        return await stage(path, await writer.finish().catch(rethrowFull));
      },
      async end() {
        const { hash, sha256, crc32 } = await writer.finishPart().catch(rethrowFull);
        isOpen = false;
        assembly?.complete(id);
        return { hash, sha256: sha256?.toHex(), crc32 };
      },
      close: async () => {
        if (isOpen && assembly !== undefined) await writer.close();
        else if (isOpen) await this.#keep(id, writer);
        isOpen = false;
      },
    };
  }

  /**
   * Parts that are in their places in one file stay there. Otherwise, what the first part has stays where it is, and that
   * of the others is appended to it, if it has a file of its own.
   */
  async join(parts: readonly PartContent[]): Promise<StagedBlob> {
    const joined = await orMissing(this.#join(parts));
    // One was sent again meanwhile, which ends the former.
    if (joined === undefined) throw uploadEnded();
    return joined;
  }

  async #join(parts: readonly PartContent[]): Promise<StagedBlob> {
    const [first, ...others] = parts;
    if (first === undefined) throw new TypeError("No parts to join");
    const { nlink } = await Deno.stat(this.#pathOf(first.id));
    const isOwn = nlink === 1 && (first.position ?? 0) === 0;
    if (this.#assemblies.of(first.id) !== undefined || !isOwn) {
      const size = await this.#assemblies.sizeOf(parts);
      if (size !== undefined) return await this.#stageInPlace(first.id, size);
      await this.#requireRoom(parts);
      return await this.#options.stageCopy(this.#contentOf(parts));
    }
    await this.#requireRoom(others);
    const joined = await this.open(first.id, first.size);
    try {
      for await (const chunk of this.#contentOf(others)) await joined.append(chunk);
      return await joined.finish();
    } finally {
      // If that failed, its next request finds it longer than it is known to be, and cuts it.
      await joined.close();
    }
  }

  async park(id: string, blob: StagedBlob): Promise<void> {
    const path = this.#pathOf(id);
    try {
      if (blob instanceof StagedBlobFile) await blob.moveTo(path);
      else if (blob instanceof StagedSmallBlob) await writeSynced(path, await blob.read());
      else throw new TypeError("Not a blob of this store");
      await syncDirectory(this.#root);
    } catch (error) {
      // A file that stays is removed at the next start.
      await removeFile(path).catch(() => {});
      throw asStorageFull(error);
    }
  }

  async unpark({ id, hash, size, crc32, sha256 }: LfsObject): Promise<StagedBlob | undefined> {
    const path = this.#pathOf(id);
    const digest = { hash, size, crc32, sha256: Uint8Array.fromHex(sha256) };
    if ((await orMissing(Deno.stat(path)))?.size !== size) return undefined;
    // A commit of another request may remove it meanwhile.
    return await orMissing(this.#options.stage(path, digest));
  }

  async remove(id: string): Promise<void> {
    await this.#take(id)?.close();
    await this.#assemblies.leave(id);
    await removeFile(this.#pathOf(id));
  }

  async ids(): Promise<string[]> {
    return await Array.fromAsync(Deno.readDir(this.#root), ({ name }) => name);
  }

  /** Closes all parts that no request uses. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      ...[...this.#idle.keys()].map((id) => this.#take(id)?.close()),
      this.#assemblies.close(),
    ]);
  }

  #pathOf(id: string): string {
    return `${this.#root}/${id}`;
  }

  /** Others may link to it from now on. */
  #createFile(id: string): void {
    Deno.openSync(this.#pathOf(id), { write: true, createNew: true, mode: 0o600 }).close();
  }

  #openAt(id: string, position: number): Promise<PartWriter> {
    const { pool, requireSpace } = this.#options;
    return PartWriter.openAt({ path: this.#pathOf(id), pool, requireSpace }, position);
  }

  async #stageInPlace(id: string, size: number): Promise<StagedBlob> {
    const hashing = await this.#assemblies.takeHashing(id);
    try {
      await hashing.rehash(size);
      return await this.#options.stage(this.#pathOf(id), await hashing.finish());
    } finally {
      await hashing.close();
    }
  }

  /** Refuses to copy parts before the disk is full of what there is no room for: they stay until they are joined. */
  async #requireRoom(parts: readonly PartContent[]): Promise<void> {
    await this.#options.requireSpace(parts.reduce((bytes, { size }) => bytes + size, 0));
  }

  async *#contentOf(parts: readonly PartContent[]): AsyncGenerator<Chunk> {
    for (const { id, position = 0, size } of parts) {
      yield* readFile(this.#pathOf(id), position, size);
    }
  }

  #take(id: string): PartWriter | undefined {
    const idle = this.#idle.get(id);
    this.#idle.delete(id);
    clearTimeout(idle?.end);
    return idle?.writer;
  }

  async #keep(id: string, writer: PartWriter): Promise<void> {
    if (writer.hasFailed) return await writer.close();
    const end = setTimeout(() => this.#take(id)?.close(), MAX_IDLE_MS);
    Deno.unrefTimer(Number(end));
    this.#idle.set(id, { writer, end });
    if (this.#idle.size <= MAX_IDLE_PARTS) return;
    for (const oldest of this.#idle.keys()) return await this.#take(oldest)?.close();
  }
}

/** Bytes of a file, in chunks whose memory is given away. */
async function* readFile(path: string, position: number, size: number): AsyncGenerator<Chunk> {
  using file = await Deno.open(path);
  await file.seek(position, Deno.SeekMode.Start);
  for (let left = size; left > 0;) {
    const memory = SPARE_MEMORY.take();
    const bytes = await file.read(memory.subarray(0, Math.min(memory.length, left)));
    if (bytes === null) throw new Error(`A part of an upload has lost ${left} bytes`);
    left -= bytes;
    yield memory.subarray(0, bytes);
  }
}

function rethrowFull(error: unknown): never {
  throw asStorageFull(error);
}
