import { randomBytes } from "node:crypto";
import type { ByteRange, HashRange, PackedFile, StagedBlob } from "../../../core/blob_store.ts";
import {
  type Chunk,
  type LocatedContent,
  type StoredContent,
  verifiedContent,
} from "../../../core/content.ts";
import type { ContentRemoval } from "../../../core/content_changes.ts";
import type { ContentFacts, WriteTransaction } from "../../../core/ports.ts";
import type { ContentLocation } from "../../../schemas/content_url.ts";
import type { Compression } from "../../../schemas/resources.ts";
import { MIB } from "../../../schemas/units.ts";
import { rowBatches } from "../content_rows.ts";
import type { ContentTasks } from "../content_tasks.ts";
import { Packer } from "../packer.ts";
import { rangeOf } from "../read_range.ts";
import { damagedContent } from "../staged_blob_file.ts";
import { StagedMemory, StagedSmallBlob } from "../staged_small_blob.ts";
import { emptyTemporary } from "../temporary.ts";
import type { ContentDigest } from "../hasher.ts";
import { receive } from "../upload.ts";
import { Room } from "../../disk/room.ts";
import { asStorageFull } from "../../disk/storage_full.ts";
import type { ContentFile, ContentStore } from "../content_store.ts";
import type { ObjectTable } from "../object_table.ts";
import { FILES_ONLY } from "../../threads/permissions.ts";
import { WorkerPool } from "../../threads/pool.ts";
import { forEach } from "../../threads/for_each.ts";
import { WORKERS } from "../../threads/workers.ts";
import { Bucket } from "./bucket.ts";
import { BucketProbe } from "./bucket_probe.ts";
import { temporaryCopy } from "./content_copy.ts";
import type { CredentialSource } from "./credentials.ts";
import { asUnavailable, rethrowUnavailable } from "./failures.ts";
import { LargeObjects } from "./large_objects.ts";
import { type OwnerParts, probeBucket, requireOwner } from "./marker.ts";
import { ObjectParts } from "./object_parts.ts";
import { ObjectQuarantine } from "./object_quarantine.ts";
import { type ObjectRange, openHeld } from "./object_reader.ts";
import { ObjectSink } from "./object_sink.ts";
import { Removals } from "./removals.ts";
import { type RequestOptions, S3Requests } from "./requests.ts";
import { objectRow, StagedObject } from "./staged_object.ts";
import { storedHashes } from "./stored_hashes.ts";

/** One serving thread cannot keep more workers than this busy. */
const MAX_WORKERS = 8;
/** Further small content waits in files for its publication. */
const MAX_STAGED_BYTES = 16 * MIB;
/** How many objects are asked for their size at a time, for one archive. */
const MAX_SIZES_AT_ONCE = 8;
/** How often content is looked up: another upload may have replaced its object. */
const MAX_LOOKUPS = 5;

export interface S3BlobStoreOptions extends OwnerParts {
  readonly location: ContentLocation;
  readonly credentials: CredentialSource;
  readonly objects: ObjectTable;
  /** Content is refused while less than this is free. @default 0 */
  readonly reserveBytes?: number;
  /** Called with failures of the store that clients do not see. @default does nothing */
  readonly onFailure?: (error: unknown) => void;
  /** See {@link RemovalParts.onLack}. @default does nothing */
  readonly onLack?: (error: Error) => void;
  /** Whether other servers still take this one for alive. @default always */
  readonly mayWrite?: (() => boolean) | undefined;
  readonly requests?: Omit<RequestOptions, "mayWrite" | "attempts">;
  /** See {@link RemovalParts.secondMs}. */
  readonly secondMs?: number;
}

/**
 * Keeps large content in an object store, and small content in the database (C 23). Each upload has a new
 * object, whose name is never used again: docs/design/content_in_objects.md
 * has the protocol.
 */
export class S3BlobStore implements ContentStore {
  needsSweep = false;
  readonly quarantine: ObjectQuarantine;
  readonly parts: ObjectParts;
  readonly removals: Removals;
  readonly #temporary: string;
  readonly #location: ContentLocation;
  readonly #objects: ObjectTable;
  readonly #bucket: Bucket;
  readonly #probe: BucketProbe;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #packer: Packer;
  readonly #requireSpace: () => void | Promise<void>;
  readonly #memory = new StagedMemory(MAX_STAGED_BYTES);

  private constructor(dataDir: string, options: S3BlobStoreOptions) {
    const { location, credentials, objects, reserveBytes = 0 } = options;
    const { onFailure = () => {}, onLack = () => {}, secondMs } = options;
    this.#temporary = `${dataDir}/tmp`;
    this.#location = location;
    this.#objects = objects;
    this.#bucket = new Bucket(
      new S3Requests(location, credentials, { ...options.requests, mayWrite: options.mayWrite }),
    );
    this.#probe = new BucketProbe(location, credentials);
    const workers = Math.min(navigator.hardwareConcurrency, MAX_WORKERS);
    this.#pool = new WorkerPool(WORKERS.content, workers, FILES_ONLY);
    this.#packer = new Packer(this.#pool, {
      contents: objects,
      maxCalls: workers,
      large: new LargeObjects(this.#pool, (hash, range) => this.open(hash, range)),
    });
    this.removals = new Removals({ bucket: this.#bucket, objects, onFailure, onLack, secondMs });
    this.quarantine = new ObjectQuarantine(objects, () => this.removals.soon());
    const room = new Room(this.#temporary, reserveBytes);
    this.#requireSpace = () => room.require();
    this.parts = new ObjectParts({
      objects,
      pool: this.#pool,
      temporaryPath: this.#temporaryPath,
      openObject: () => this.#beginObject(),
      read: (key, size) => this.#read(key, size),
      stage: (content) => this.stage(content),
      sizeOf: (key) => this.#bucket.sizeOf(key).catch(rethrowUnavailable),
      giveUp: this.removals.giveUp,
      stageSmall: (digest, bytes) => this.#hold(digest, bytes),
      onRemoval: () => this.removals.soon(),
    });
  }

  /**
   * Opens the store of the strongroom whose database is `objects`, and empties `tmp/` of the data directory.
   *
   * @throws {Error} when the store cannot be used, or holds the content of another strongroom.
   */
  static async open(dataDir: string, options: S3BlobStoreOptions): Promise<S3BlobStore> {
    const { objects, location, isKnown = false } = options;
    // That reads a row of each content, which may take minutes.
    if (!isKnown && await objects.hasFiles()) {
      throw new Error(
        "Content is in files of the data directory, not in STRONGROOM_CONTENT_URL: unset it",
      );
    }
    await emptyTemporary(`${dataDir}/tmp`);
    const store = new S3BlobStore(dataDir, options);
    try {
      await probeBucket(store.#bucket, location);
      await requireOwner(store.#bucket, location, options);
      await objects.expire();
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
    store.removals.soon();
    return store;
  }

  /** The disk has little of it at a time. */
  async requireSpace(): Promise<void> {
    await this.#requireSpace();
  }

  async stage(content: AsyncIterable<Chunk>): Promise<StagedBlob> {
    let key: string | undefined;
    try {
      const { digest, bytes } = await receive(content, {
        requireSpace: this.#requireSpace,
        open: async () => {
          const begun = await this.#beginObject();
          key = begun.key;
          return begun.sink;
        },
      });
      if (bytes !== undefined) return await this.#hold(digest, bytes);
      return new StagedObject(key ?? "", digest, this.removals.giveUp);
    } catch (error) {
      if (key !== undefined) await this.removals.giveUp(key);
      throw asUnavailable(asStorageFull(error));
    }
  }

  /** The row of an object is there before its first byte. */
  announce(): Promise<void> {
    return Promise.resolve();
  }

  async publish(
    staged: readonly StagedBlob[],
    { contents }: Pick<WriteTransaction, "contents">,
  ): Promise<void> {
    for await (const batch of rowBatches(staged, objectRow)) {
      const { damaged } = await contents.put(batch.map(({ row }) => row));
      for (const { blob } of batch) {
        if (!(blob instanceof StagedSmallBlob)) continue;
        const found = damaged.get(blob.hash);
        blob.damage = found === undefined ? undefined : damagedContent(blob.hash, found);
      }
    }
    this.removals.soon();
  }

  async remove(hashes: readonly string[], { contents }: ContentRemoval): Promise<void> {
    await contents.remove(hashes);
    this.removals.soon();
  }

  /** Lists the bucket: content whose object is gone is missing. */
  hashes(): AsyncGenerator<HashRange> {
    return storedHashes(this.#bucket, this.#location, this.#objects);
  }

  async sizeOf(hash: string, when?: "lately"): Promise<number | undefined> {
    const place = await this.#objects.place(hash);
    if (place?.object === undefined) return place?.bytes?.length;
    return await this.#bucket.sizeOf(place.object, when).catch(rethrowUnavailable);
  }

  async sizesOf(
    hashes: readonly string[],
    signal: AbortSignal,
  ): Promise<(number | undefined)[]> {
    const small = await this.#packer.sizesOf(hashes, signal);
    const others = new Set(hashes.filter((_, index) => small[index] === undefined));
    const sizes = new Map<string, number | undefined>();
    await forEach([...others], MAX_SIZES_AT_ONCE, async (hash) => {
      signal.throwIfAborted();
      sizes.set(hash, await this.sizeOf(hash));
    });
    return hashes.map((hash, index) => small[index] ?? sizes.get(hash));
  }

  async open(
    hash: string,
    range: ByteRange,
    located?: LocatedContent,
  ): Promise<StoredContent | undefined> {
    for (let lookup = 1, former = ""; lookup <= MAX_LOOKUPS; lookup++) {
      const place = lookup === 1 && located || await this.#objects.place(hash);
      if (place?.bytes !== undefined) return rangeOf(place.bytes, range);
      const key = place?.object;
      // An upload may have replaced the object since it was looked up, but not by itself.
      if (key === undefined || key === former) return undefined;
      const find = async () => (await this.#objects.place(hash))?.object;
      const content = await this.#openObject({ key, range, find });
      if (content !== undefined) return content;
      former = key;
    }
    return undefined;
  }

  pack<File extends ContentFacts>(
    pages: AsyncIterable<readonly File[]>,
    compression: Compression,
  ): AsyncGenerator<PackedFile<File>, void> {
    return this.#packer.pack(pages, compression);
  }

  probe(): Promise<void> {
    return this.#probe.run();
  }

  /** The file is a copy, which was verified on the way. */
  async fileOf(hash: string): Promise<ContentFile> {
    const place = await this.#objects.place(hash);
    const stored = place && await this.open(hash, { start: 0, end: place.size });
    const content = stored && verifiedContent(stored, { ...place, hash });
    return await temporaryCopy(content, this.#temporaryPath(), this.#requireSpace);
  }

  stop(): Promise<void> {
    return this.removals[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#pool[Symbol.dispose]();
  }

  #openObject(range: ObjectRange): Promise<StoredContent | undefined> {
    return openHeld(this.#bucket, range, this.removals.hold(range.key));
  }

  readonly #temporaryPath = (): string => `${this.#temporary}/${crypto.randomUUID()}`;

  #hold(digest: ContentDigest, bytes: Chunk): Promise<StagedSmallBlob> {
    return StagedSmallBlob.hold({ digest, bytes }, this.#temporaryPath(), this.#memory);
  }

  /** Notes a new object, and opens it. */
  async #beginObject(): Promise<{ key: string; sink: ObjectSink }> {
    await this.#requireSpace();
    const id = randomBytes(16).toString("hex");
    const key = `${this.#location.prefix}${id.slice(0, 2)}/${id}`;
    await this.#objects.arrive(key);
    try {
      const temporaryPath = this.#temporaryPath;
      const parts = { bucket: this.#bucket, pool: this.#pool, temporaryPath };
      return { key, sink: await ObjectSink.open(key, parts) };
    } catch (error) {
      await this.removals.giveUp(key);
      throw error;
    }
  }

  async *#read(key: string, size: number): AsyncGenerator<Chunk> {
    const find = () => Promise.resolve(undefined);
    const content = await this.#openObject({ key, range: { start: 0, end: size }, find });
    if (content === undefined) throw new Error(`The part ${key} of an upload is lost`);
    yield* content;
  }
}
