import { createHash, type Hash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";
import { type Chunk, ContentReader, joinChunks } from "../../core/content.ts";
import { orMissing, readFull, writeAll } from "../disk/files.ts";

/** What is known of content once it has been read through. */
export interface Digest {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
}

/**
 * The level of DEFLATE. On text the second packs nearly as tight as the usual sixth (0.246 against
 * 0.236 of the size in the case that `deno task bench` packs) at more than 1.5 times its speed.
 */
const DEFLATE_LEVEL = 2;
/** Content is deflated where samples of it shrink to less than this share. */
const WORTHWHILE = 0.8;
const SAMPLE_BYTES = 32 * 1024;
/** How much deflated content is handed over at a time, at least. */
const DEFLATED_BYTES = 256 * 1024;

/** Hashes while content comes in, in one pass. */
export class Hasher {
  readonly #md5: Hash = createHash("md5");
  #crc32 = 0;
  #size = 0;

  update(chunk: Uint8Array): void {
    this.#md5.update(chunk);
    this.#crc32 = crc32(chunk, this.#crc32);
    this.#size += chunk.length;
  }

  digest(): Digest {
    return { hash: this.#md5.digest("hex"), size: this.#size, crc32: this.#crc32 };
  }
}

interface Receipt {
  readonly file: Deno.FsFile;
  readonly hasher: Hasher;
}

/**
 * The work on content that would hold up the serving thread: hashing what comes in, deflating what
 * goes out. It lives in threads of its own (content_worker.ts).
 */
export class ContentTasks {
  readonly #receipts = new Map<number, Receipt>();
  readonly #deflations = new Map<number, ContentReader>();
  #started = 0;

  /** Starts to receive content into a new file. */
  async receive(path: string): Promise<number> {
    const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
    this.#receipts.set(++this.#started, { file, hasher: new Hasher() });
    return this.#started;
  }

  /** Takes the next piece, and gives the memory back for another one. */
  async write(id: number, chunk: Chunk): Promise<Chunk> {
    const { file, hasher } = this.#receipt(id);
    const written = writeAll(file, chunk);
    try {
      hasher.update(chunk);
    } finally {
      await written;
    }
    return chunk;
  }

  /** Makes the content durable and closes the file. */
  async finish(id: number): Promise<Digest> {
    const { file, hasher } = this.#receipt(id);
    await file.syncData();
    this.abort(id);
    return hasher.digest();
  }

  /** Closes the file as it is. */
  abort(id: number): void {
    this.#receipts.get(id)?.file.close();
    this.#receipts.delete(id);
  }

  /**
   * Starts to deflate a file; undefined where there is none, and where `always` is false and it would
   * hardly shrink.
   */
  async deflate(path: string, always: boolean): Promise<number | undefined> {
    const file = await orMissing(Deno.open(path));
    if (file === undefined) return undefined;
    if (!always) {
      const pays = await shrinks(file).catch((error) => {
        file.close();
        throw error;
      });
      if (!pays) {
        file.close();
        return undefined;
      }
    }
    this.#deflations.set(++this.#started, deflated(file));
    return this.#started;
  }

  /** The next piece of the deflated content; undefined behind the last one. */
  async nextDeflated(id: number): Promise<Chunk | undefined> {
    const deflation = this.#deflations.get(id);
    if (deflation === undefined) throw new Error(`The deflation ${id} has ended`);
    return (await deflation.next()).value;
  }

  /** Ends a deflation, wherever it is. */
  async endDeflation(id: number): Promise<void> {
    const deflation = this.#deflations.get(id);
    this.#deflations.delete(id);
    await deflation?.return();
  }

  #receipt(id: number): Receipt {
    const receipt = this.#receipts.get(id);
    if (receipt === undefined) throw new Error(`The receipt ${id} has ended`);
    return receipt;
  }
}

/** Whether samples from the start, the middle and the end say that deflating pays (C 9). */
async function shrinks(file: Deno.FsFile): Promise<boolean> {
  const { size } = await file.stat();
  const places = size <= 3 * SAMPLE_BYTES ? [0] : [0, Math.floor(size / 2), size - SAMPLE_BYTES];
  const length = places.length === 1 ? size : SAMPLE_BYTES;
  let sampled = 0;
  let packed = 0;
  for (const place of places) {
    await file.seek(place, Deno.SeekMode.Start);
    const sample = await readFull(file, new Uint8Array(length));
    sampled += sample.length;
    packed += deflateRawSync(sample, { level: DEFLATE_LEVEL }).length;
  }
  await file.seek(0, Deno.SeekMode.Start);
  return packed < sampled * WORTHWHILE;
}

/** The deflated content of a file, which is closed when it is through or returned. */
function deflated(file: Deno.FsFile): ContentReader {
  const deflate = createDeflateRaw({ level: DEFLATE_LEVEL, chunkSize: DEFLATED_BYTES });
  // Hands a failure to read on to whoever iterates, and closes the file at the end of either.
  pipeline(Readable.from(file.readable), deflate, () => {});
  const pieces = gathered(deflate);
  return new ContentReader(
    async () => (await pieces.next()).value,
    () => {
      deflate.destroy();
    },
  );
}

async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Chunk, undefined> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < DEFLATED_BYTES) continue;
    yield joinChunks(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield joinChunks(held);
}
