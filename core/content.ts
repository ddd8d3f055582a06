import { crc32 } from "node:zlib";
import { MIB } from "../schemas/units.ts";
import { DamagedContent } from "./errors.ts";
import { isTurnOver, takeTurn } from "./event_loop.ts";

/** Memory that grows is copied in pieces of this size. */
const COPIED_BYTES = 4 * MIB;

/** Part of a stream of content. */
export type Chunk = Uint8Array<ArrayBuffer>;

/** Copies chunks into one array, in order. */
export function joinChunks(chunks: readonly Uint8Array[]): Chunk {
  const joined = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined;
}

/** Memory of twice the size, which begins with the same bytes. */
export async function doubled(memory: Chunk): Promise<Chunk> {
  const larger = new Uint8Array(2 * memory.length);
  for (let at = 0; at < memory.length; at += COPIED_BYTES) {
    if (isTurnOver()) await takeTurn();
    larger.set(memory.subarray(at, at + COPIED_BYTES), at);
  }
  return larger;
}

/**
 * An iterator over content that can be closed at any time. A generator does not run its `finally`
 * block if it is closed before the first `next`; this class calls `close` exactly once in every
 * case, and reads nothing afterwards.
 */
export class ContentReader implements AsyncIterableIterator<Chunk> {
  readonly #read: () => Promise<Chunk | undefined>;
  readonly #close: () => void | Promise<void>;
  #open = true;

  /**
   * @param read Returns the next chunk, or undefined after the last one.
   * @param close Releases the resources that `read` uses.
   */
  constructor(read: () => Promise<Chunk | undefined>, close: () => void | Promise<void>) {
    this.#read = read;
    this.#close = close;
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    if (!this.#open) return { done: true, value: undefined };
    try {
      const chunk = await this.#read();
      if (chunk !== undefined) return { done: false, value: chunk };
    } catch (error) {
      await this.return();
      throw error;
    }
    return await this.return();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#open) {
      this.#open = false;
      await this.#close();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** A reader of stored content, or of a range of it. */
export class StoredContent extends ContentReader {
  /** @param size The size of all of the content in bytes. */
  constructor(
    readonly size: number,
    read: () => Promise<Chunk | undefined>,
    close: () => void | Promise<void>,
  ) {
    super(read, close);
  }
}

/** The size in bytes and the CRC-32 of content. */
export interface Checksum {
  readonly size: number;
  readonly crc32: number;
}

/** Computes a {@link Checksum} in one pass. */
export class RunningChecksum implements Checksum {
  size = 0;
  crc32 = 0;

  update(chunk: Uint8Array): void {
    this.size += chunk.length;
    this.crc32 = crc32(chunk, this.crc32);
  }

  /** Another one that has seen the same bytes. */
  copy(): RunningChecksum {
    return Object.assign(new RunningChecksum(), this);
  }
}

/**
 * Compares what was read of stored content with what its record states.
 *
 * @throws {DamagedContent} when they differ.
 */
export function verifyChecksum(
  { hash, size, crc32 }: Checksum & { readonly hash: string },
  found: Checksum,
): void {
  if (found.size === size && found.crc32 === crc32) return;
  throw new DamagedContent(hash, checksumText({ size, crc32 }), checksumText(found));
}

function checksumText({ size, crc32 }: Checksum): string {
  return `CRC-32 ${crc32.toString(16).padStart(8, "0")} of ${size} bytes`;
}

/** Content whose last chunk is returned only after `verify`, which may throw, has been called. */
export function withheldContent(
  content: ContentReader,
  verify: () => void | Promise<void>,
): ContentReader {
  let held: Chunk | undefined;
  let started = false;
  const take = async () => (await content.next()).value;
  return new ContentReader(
    async () => {
      if (!started) held = await take();
      started = true;
      const chunk = held;
      if (chunk === undefined) return undefined;
      held = await take();
      if (held === undefined) await verify();
      return chunk;
    },
    async () => {
      await content.return();
    },
  );
}

/**
 * Passes stored content through and verifies it: damaged content breaks off before its last chunk.
 *
 * @throws {DamagedContent} during reading, when the content is not the `expected` one.
 */
export function verifiedContent(
  content: ContentReader,
  expected: Checksum & { readonly hash: string },
): ContentReader {
  const found = new RunningChecksum();
  return new ContentReader(
    async () => {
      const { value } = await content.next();
      if (value !== undefined) found.update(value);
      if (value === undefined || found.size >= expected.size) verifyChecksum(expected, found);
      return value;
    },
    async () => {
      await content.return();
    },
  );
}

/** Where content was when its record was found, as a database of the records knows it. */
export interface LocatedContent {
  /** The content itself, if the database has it. */
  readonly bytes: Chunk | undefined;
  /** The name of its object in the store of content, if it has one. */
  readonly object: string | undefined;
}
