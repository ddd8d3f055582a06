import type { Chunk } from "../../core/content.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { KIB } from "../../schemas/units.ts";
import { type ContentDigest, ContentHasher } from "./hasher.ts";
import { PendingWrites } from "./pending_writes.ts";

/**
 * Content up to this size is kept in the database. It is hashed on the calling thread: a call to another
 * one takes longer.
 */
export const MAX_SMALL_BYTES = 64 * KIB;
/** The first buffer of content has this size, and grows with small content. */
const MIN_BUFFER_BYTES = 4 * KIB;

/** Content that was received. */
export interface ReceivedContent {
  readonly digest: ContentDigest;
  /** Small content; undefined for content that went into the sink. */
  readonly bytes: Chunk | undefined;
}

/** Where large content goes. */
export interface ContentSink extends Disposable {
  /** Takes a chunk, and returns it when its memory can be reused. Several may be on their way, in order. */
  write(chunk: Chunk): Promise<Chunk>;
  /** Ends the content, durably. */
  finish(): Promise<ContentDigest>;
  /** Ends after a failure. */
  abort(): Promise<void>;
}

export interface UploadParts {
  /** Called when the content is not small. */
  readonly open: () => Promise<ContentSink>;
  /** Awaited before content is kept. Fails to refuse it. */
  readonly requireSpace: () => void | Promise<void>;
}

/**
 * Receives content and hashes it. What is not small goes into a sink.
 *
 * @throws the error of `content` or `requireSpace`, unchanged. The sink was ended then.
 */
export async function receive(
  content: AsyncIterable<Chunk>,
  parts: UploadParts,
): Promise<ReceivedContent> {
  using upload = new Upload(parts);
  try {
    for await (const chunk of content) await upload.append(chunk);
    return await upload.finish();
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

/** Content on its way into a sink. Opens it only when the content is not small. */
class Upload implements Disposable {
  readonly #parts: UploadParts;
  readonly #writes = new PendingWrites();
  #sink: ContentSink | undefined;
  #buffer: Chunk | undefined;
  #filled = 0;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** Writes a large chunk, whose memory is given away. Collects small ones until they are a large one. */
  async append(chunk: Chunk): Promise<void> {
    if (this.#filled === 0 && chunk.length > MAX_SMALL_BYTES) return await this.#write(chunk);
    for (let offset = 0; offset < chunk.length;) {
      const buffer = this.#roomFor(chunk.length - offset);
      const part = chunk.subarray(offset, offset + buffer.length - this.#filled);
      buffer.set(part, this.#filled);
      this.#filled += part.length;
      offset += part.length;
      if (this.#filled === LARGE_CHUNK_BYTES) await this.#flush();
    }
  }

  /** Writes what is still buffered, and ends the content, unless it is small. */
  async finish(): Promise<ReceivedContent> {
    if (this.#sink === undefined && this.#filled <= MAX_SMALL_BYTES) return this.#small();
    await this.#flush();
    await this.#writes.settle();
    const sink = await this.#start();
    return { digest: await sink.finish(), bytes: undefined };
  }

  /** Ends after a failure. */
  async abort(): Promise<void> {
    await this.#writes.ended();
    await this.#sink?.abort();
  }

  /** Releases what the sink holds. */
  [Symbol.dispose](): void {
    this.#sink?.[Symbol.dispose]();
  }

  /** A buffer that is not full. */
  #roomFor(bytes: number): Chunk {
    const buffer = this.#buffer;
    if (buffer !== undefined && this.#filled < buffer.length) return buffer;
    const needed = this.#filled + bytes;
    const isSmall = this.#sink === undefined && needed <= MAX_SMALL_BYTES;
    const size = Math.max(MIN_BUFFER_BYTES, needed, 2 * this.#filled);
    const next = isSmall ? new Uint8Array(Math.min(size, MAX_SMALL_BYTES)) : SPARE_MEMORY.take();
    if (buffer !== undefined) next.set(buffer);
    return this.#buffer = next;
  }

  /** Writes what was collected. */
  async #flush(): Promise<void> {
    const bytes = this.#buffer?.subarray(0, this.#filled);
    this.#buffer = undefined;
    this.#filled = 0;
    if (bytes !== undefined) await this.#write(bytes);
  }

  /** Passes a chunk on once few enough are pending. */
  async #write(chunk: Chunk): Promise<void> {
    await this.#parts.requireSpace();
    const sink = await this.#start();
    await this.#writes.add(() => sink.write(chunk));
  }

  async #start(): Promise<ContentSink> {
    return this.#sink ??= await this.#parts.open();
  }

  async #small(): Promise<ReceivedContent> {
    await this.#parts.requireSpace();
    const bytes = this.#buffer?.slice(0, this.#filled) ?? new Uint8Array();
    const hasher = new ContentHasher();
    hasher.update(bytes);
    return { digest: hasher.digest(), bytes };
  }
}
