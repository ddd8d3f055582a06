import type { StagedBlob } from "../../../core/blob_store.ts";
import type { Chunk } from "../../../core/content.ts";
import { SPARE_MEMORY } from "../../../core/spare_memory.ts";
import type { LfsObject, ParkedContent } from "../../../core/lfs_objects.ts";
import type { OpenPart, PartStore, ResumableUpload } from "../../../core/uploads.ts";
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
  /** Awaited before each write. Fails to refuse it. */
  readonly requireSpace: () => void | Promise<void>;
  /** Makes content of a file that is kept until its record has been committed. */
  readonly stage: (path: string, digest: ContentDigest) => Promise<StagedBlob>;
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

  /** Creates `uploads/` in the data directory if it is missing. */
  constructor(dataDir: string, options: PartDirectoryOptions) {
    this.#root = uploadDirectory(dataDir);
    this.#options = options;
    makeDirectorySync(this.#root);
  }

  async create(id: string): Promise<void> {
    try {
      await this.#options.requireSpace();
      const file = await Deno.open(this.#pathOf(id), { write: true, createNew: true, mode: 0o600 });
      file.close();
      await syncDirectory(this.#root);
    } catch (error) {
      throw asStorageFull(error);
    }
  }

  async open(id: string, size: number): Promise<OpenPart> {
    const { pool, requireSpace, stage } = this.#options;
    const path = this.#pathOf(id);
    const idle = this.#take(id);
    if (idle !== undefined && idle.size !== size) await idle.close();
    const writer = idle?.size === size
      ? idle
      : await PartWriter.open({ path, pool, requireSpace }, size);
    let isOpen = true;
    return {
      turn: 0,
      begin: (checksum) => writer.begin(checksum),
      append: (chunk) => writer.append(chunk).catch(rethrowFull),
      sync: () => writer.sync().catch(rethrowFull),
      checksum: () => writer.checksum(),
      revert: () => writer.revert(),
      async finish() {
        isOpen = false;
        return await stage(path, await writer.finish().catch(rethrowFull));
      },
      close: async () => {
        if (isOpen) await this.#keep(id, writer);
        isOpen = false;
      },
    };
  }

  /** What the first part has stays where it is; that of the others is appended to it. */
  async join(parts: readonly Pick<ResumableUpload, "id" | "size">[]): Promise<StagedBlob> {
    const [first, ...others] = parts;
    if (first === undefined) throw new TypeError("No parts to join");
    const joined = await this.open(first.id, first.size);
    try {
      for (const { id, size } of others) {
        for await (const chunk of readFile(this.#pathOf(id), size)) await joined.append(chunk);
      }
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
    await removeFile(this.#pathOf(id));
  }

  async ids(): Promise<string[]> {
    return await Array.fromAsync(Deno.readDir(this.#root), ({ name }) => name);
  }

  /** Closes all parts that no request uses. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((id) => this.#take(id)?.close()));
  }

  #pathOf(id: string): string {
    return `${this.#root}/${id}`;
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

/** The first bytes of a file, in chunks whose memory is given away. */
async function* readFile(path: string, size: number): AsyncGenerator<Chunk> {
  using file = await Deno.open(path);
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
