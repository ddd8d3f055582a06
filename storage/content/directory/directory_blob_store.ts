import type { Chunk, LocatedContent, StoredContent } from "../../../core/content.ts";
import type { ContentChanges, ContentRemoval, ContentRow } from "../../../core/content_changes.ts";
import type { DamagedContent } from "../../../core/errors.ts";
import type { ByteRange, HashRange, PackedFile, StagedBlob } from "../../../core/blob_store.ts";
import type { ContentFacts, WriteTransaction } from "../../../core/ports.ts";
import type { Compression } from "../../../schemas/resources.ts";
import { MIB } from "../../../schemas/units.ts";
import type { ContentFile, ContentStore } from "../content_store.ts";
import type { ContentTable } from "../content_table.ts";
import { blobDirectory } from "../../disk/data_directory.ts";
import { orMissing, removeFile } from "../../disk/files.ts";
import { Room } from "../../disk/room.ts";
import { asStorageFull } from "../../disk/storage_full.ts";
import { FILES_ONLY } from "../../threads/permissions.ts";
import { WorkerPool } from "../../threads/pool.ts";
import { WORKERS } from "../../threads/workers.ts";
import { Announcements } from "./announcements.ts";
import { BlobDirectory } from "./blob_directory.ts";
import { BlobWriter } from "./blob_writer.ts";
import { rowBatches } from "../content_rows.ts";
import type { ContentTasks } from "../content_tasks.ts";
import { PartDirectory } from "./part_directory.ts";
import type { ContentDigest } from "../hasher.ts";
import { MAX_SMALL_BYTES } from "../upload.ts";
import { LargeFiles } from "./large_files.ts";
import { Packer } from "../packer.ts";
import { digestsBelow, PREFIXES, prefixesIn } from "../paths.ts";
import { QuarantineDirectory } from "./quarantine.ts";
import { rangeOf, readRange } from "../read_range.ts";
import { damagedContent, StagedBlobFile } from "../staged_blob_file.ts";
import { StagedMemory, StagedSmallBlob } from "../staged_small_blob.ts";
import { emptyTemporary, requireDirectory } from "../temporary.ts";

/** One serving thread cannot keep more workers than this busy. */
const MAX_WORKERS = 8;
/** Further small content waits in files for its publication. */
const MAX_STAGED_BYTES = 16 * MIB;

export interface BlobStoreOptions {
  /** Keeps small content. */
  readonly contents: ContentTable;
  /** Content is refused while less than this is free. @default 0 */
  readonly reserveBytes?: number;
}

/**
 * Stores content by its digest (C 12): small content in the database, each larger one in a file below
 * `blobs/`. New files are written and synced in `tmp/`, then renamed within the transaction that adds
 * their record. Small content may also be in a file, as all was before it was kept in the database.
 * See docs/design/uploads.md.
 */
export class DirectoryBlobStore implements ContentStore {
  needsSweep = false;
  readonly quarantine: QuarantineDirectory;
  /** What unfinished uploads have received. */
  readonly parts: PartDirectory;
  readonly #files: BlobDirectory;
  readonly #temporary: string;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #writer: BlobWriter;
  readonly #packer: Packer;
  readonly #contents: ContentTable;
  readonly #announcements: Announcements;
  readonly #memory = new StagedMemory(MAX_STAGED_BYTES);
  /** The room on its disk. */
  readonly room: Room;

  private constructor(
    dataDir: string,
    temporary: string,
    { contents, reserveBytes = 0 }: BlobStoreOptions,
  ) {
    this.#files = new BlobDirectory(dataDir);
    this.#contents = contents;
    this.#announcements = new Announcements(contents);
    this.#temporary = temporary;
    const workers = Math.min(navigator.hardwareConcurrency, MAX_WORKERS);
    this.#pool = new WorkerPool(WORKERS.content, workers, FILES_ONLY);
    this.#packer = new Packer(this.#pool, {
      contents,
      maxCalls: workers,
      large: new LargeFiles(this.#pool, (hash) => this.pathOf(hash)),
    });
    this.quarantine = new QuarantineDirectory(dataDir, {
      contents,
      pathOf: (hash) => this.pathOf(hash),
    });
    this.room = new Room(temporary, reserveBytes);
    const requireSpace = (bytes?: number) => this.room.require(bytes);
    const stage = this.#stagePart.bind(this);
    this.#writer = new BlobWriter(this.#pool, requireSpace);
    const stageCopy = this.stage.bind(this);
    this.parts = new PartDirectory(dataDir, { pool: this.#pool, requireSpace, stage, stageCopy });
  }

  /**
   * Opens the store below `dataDir`, which must exist, and empties its `tmp/` and `held/`.
   *
   * @throws {Error} when `blobs/` or `tmp/` exists and is not a directory.
   */
  static async open(dataDir: string, options: BlobStoreOptions): Promise<DirectoryBlobStore> {
    const root = blobDirectory(dataDir);
    const temporary = `${dataDir}/tmp`;
    await requireDirectory(root);
    await emptyTemporary(temporary);
    return new DirectoryBlobStore(dataDir, temporary, options);
  }

  async requireSpace(bytes: number): Promise<void> {
    await this.room.require(bytes);
  }

  async stage(content: AsyncIterable<Chunk>, spool?: string): Promise<StagedBlob> {
    const path = `${this.#temporary}/${crypto.randomUUID()}`;
    const isSpooled = spool !== undefined;
    const file = { path: spool ?? path, isWritten: isSpooled };
    try {
      const { digest, bytes } = await this.#writer.receive(file, content);
      if (bytes !== undefined) {
        return await StagedSmallBlob.hold({ digest, bytes }, path, this.#memory);
      }
      return await this.#compared(new StagedBlobFile(file.path, digest, isSpooled));
    } catch (error) {
      // A file that stays is removed at the next start. The caller learns why the content was refused.
      await removeFile(path).catch(() => {});
      throw asStorageFull(error);
    }
  }

  async announce(staged: readonly StagedBlob[]): Promise<void> {
    try {
      await this.#announcements.begin(staged.filter((blob) => blob instanceof StagedBlobFile));
    } catch (error) {
      throw asStorageFull(error);
    }
  }

  async publish(
    staged: readonly StagedBlob[],
    transaction: Pick<WriteTransaction, "beforeCommit" | "contents">,
  ): Promise<void> {
    const unsynced = new Set<string>();
    const { contents } = transaction;
    try {
      const files = staged.filter((blob) => blob instanceof StagedBlobFile);
      // Another transaction may be removing the file of the same content.
      await contents.lock?.(files.map(({ digest }) => ({ ...digest, bytes: undefined })));
      const publish = (blob: StagedBlob) => this.#publish(blob, unsynced);
      for await (const batch of rowBatches(staged, publish)) {
        const { inFiles, damaged } = await contents.put(batch.map(({ row }) => row));
        for (const { blob, row } of batch) {
          if (!(blob instanceof StagedSmallBlob)) continue;
          const found = damaged.get(row.hash);
          blob.damage = found === undefined ? undefined : damagedContent(row.hash, found);
          if (!inFiles.has(row.hash)) continue;
          blob.damage = await this.#keepSmall(row, contents, unsynced);
        }
      }
    } catch (error) {
      throw asStorageFull(error);
    }
    if (unsynced.size === 0) return;
    transaction.beforeCommit(async () => {
      await this.#files.sync(unsynced).catch((error) => {
        throw asStorageFull(error);
      });
    });
  }

  async remove(hashes: readonly string[], { contents }: ContentRemoval): Promise<void> {
    await this.#files.remove(hashes);
    await contents.remove(hashes.filter((hash) => !this.#announcements.has(hash)));
  }

  /** Whether content is in files. Blocks its thread. */
  hasFiles(): boolean {
    return prefixesIn(this.#files.root).some((it) => digestsBelow(this.#files.root, it).length > 0);
  }

  async *hashes(): AsyncGenerator<HashRange> {
    using worker = this.#pool.acquire();
    for (const prefix of PREFIXES) {
      const inFiles = await worker.remote.hashesBelow(this.#files.root, prefix);
      const small = await this.#contents.smallHashes(prefix);
      yield { prefix, hashes: [...new Set([...inFiles, ...small])] };
    }
  }

  async sizeOf(hash: string): Promise<number | undefined> {
    return await this.#contents.sizeOf(hash) ?? await this.#files.sizeOf(hash);
  }

  sizesOf(hashes: readonly string[], signal: AbortSignal): Promise<(number | undefined)[]> {
    return this.#packer.sizesOf(hashes, signal);
  }

  async open(
    hash: string,
    range: ByteRange,
    located?: LocatedContent,
  ): Promise<StoredContent | undefined> {
    const { bytes } = located ?? { bytes: await this.#contents.bytesOf(hash) };
    if (bytes !== undefined) return rangeOf(bytes, range);
    const file = await orMissing(Deno.open(this.pathOf(hash)));
    return file && readRange(file, range);
  }

  pack<File extends ContentFacts>(
    pages: AsyncIterable<readonly File[]>,
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void> {
    return this.#packer.pack(pages, compression);
  }

  /** Fails if no blob can be staged and published now. */
  async probe(): Promise<void> {
    await this.#files.probe(this.#temporary);
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Ends the worker threads. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#files[Symbol.dispose]();
    this.#pool[Symbol.dispose]();
    return Promise.resolve();
  }

  /** Of content that is in the database, the file is a copy. */
  async fileOf(hash: string): Promise<ContentFile> {
    const bytes = await this.#contents.bytesOf(hash);
    if (bytes === undefined) {
      return { path: this.pathOf(hash), [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    const path = `${this.#temporary}/${crypto.randomUUID()}`;
    await Deno.writeFile(path, bytes, { createNew: true, mode: 0o600 });
    return { path, [Symbol.asyncDispose]: async () => void await removeFile(path) };
  }

  /** The path at which content is or would be stored in a file. */
  pathOf(hash: string): string {
    return this.#files.pathOf(hash);
  }

  /** Compares here, not only in `publish`: a transaction must not wait for two files to be read. */
  async #compared(staged: StagedBlobFile): Promise<StagedBlobFile> {
    await staged.isDuplicateOf(this.pathOf(staged.hash));
    return staged;
  }

  async #stagePart(part: string, digest: ContentDigest): Promise<StagedBlob> {
    if (digest.size <= MAX_SMALL_BYTES) {
      const bytes = await Deno.readFile(part);
      const path = `${this.#temporary}/${crypto.randomUUID()}`;
      return await StagedSmallBlob.hold({ digest, bytes }, path, this.#memory);
    }
    return await this.#compared(new StagedBlobFile(part, digest, true));
  }

  /**
   * Keeps small content that a file is said to hold: in the database if the file is missing or damaged.
   * Returns the damage.
   */
  async #keepSmall(
    row: ContentRow,
    contents: ContentChanges,
    unsynced: Set<string>,
  ): Promise<DamagedContent | undefined> {
    const { hash, bytes } = row;
    if (bytes === undefined) return undefined;
    const held = await this.#files.holds(hash, bytes, unsynced);
    if (held === true) return undefined;
    await contents.replace(row);
    return held === false ? undefined : held;
  }

  /** Publishes content in a file. */
  async #publish(blob: StagedBlob, unsynced: Set<string>): Promise<ContentRow> {
    if (!(blob instanceof StagedBlobFile)) throw new TypeError("Not a blob of this store");
    if (blob.announced === undefined) throw new TypeError("The blob has not been announced");
    const isNew = await this.#files.publish(blob, unsynced);
    return { ...blob.digest, bytes: undefined, isNew };
  }
}
