import type { Chunk } from "../../core/content.ts";
import { DamagedContent } from "../../core/errors.ts";
import type { ContentFacts } from "../../core/ports.ts";
import { orMissing, removeFile } from "../disk/files.ts";
import { WorkerPool } from "../threads/pool.ts";
import { WORKERS } from "../threads/workers.ts";
import { BlobWriter } from "./blob_writer.ts";
import type { ContentTasks, Digest } from "./content_tasks.ts";
import { readRange } from "./read_range.ts";

/** Copies content between directories, and verifies it on the way. */
export class ContentCopier implements Disposable {
  readonly #temporary: string;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #writer: BlobWriter;

  /** @param temporary A directory on the same file system as the copies. */
  constructor(temporary: string) {
    this.#temporary = temporary;
    this.#pool = new WorkerPool(WORKERS.content, navigator.hardwareConcurrency);
    this.#writer = new BlobWriter(this.#pool, () => {});
  }

  /**
   * Copies content to `target`, synced; its directory is not synced. The file appears there only
   * when it is whole.
   *
   * @param sources Where the content may be. The first file that has it is copied.
   * @param onBytes Called with the number of bytes that were read since the last call.
   * @throws {DamagedContent} when no source has the expected content.
   */
  async copy(
    content: ContentFacts,
    { sources, target, onBytes }: {
      readonly sources: Iterable<string>;
      readonly target: string;
      readonly onBytes: (bytes: number) => void;
    },
  ): Promise<void> {
    let found = "no file";
    for (const source of sources) {
      const temporary = `${this.#temporary}/${crypto.randomUUID()}`;
      try {
        const digest = await this.#write(temporary, source, content, onBytes);
        if (digest === undefined) continue;
        if (isDigestOf(digest, content)) return await Deno.rename(temporary, target);
        found = digestText(digest);
      } catch (error) {
        if (!(error instanceof ReadFailure)) throw error;
        found = error.message;
      } finally {
        await removeFile(temporary);
      }
    }
    throw new DamagedContent(content.hash, digestText(content), found);
  }

  /** Ends the worker threads. */
  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }

  async #write(
    temporary: string,
    source: string,
    { size }: ContentFacts,
    onBytes: (bytes: number) => void,
  ): Promise<Digest | undefined> {
    const file = await orMissing(Deno.open(source));
    if (file === undefined) return undefined;
    const chunks = await readRange(file, { start: 0, end: size });
    return await this.#writer.write(temporary, readable(chunks, onBytes));
  }
}

/** A source could not be read to its end. */
class ReadFailure extends Error {}

/** @throws {ReadFailure} when the content cannot be read. */
async function* readable(
  chunks: AsyncIterable<Chunk>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Chunk> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch((error) => {
        throw new ReadFailure(error.message, { cause: error });
      });
      if (done) return;
      onBytes(value.length);
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function isDigestOf(digest: Digest, { hash, size, crc32 }: ContentFacts): boolean {
  return digest.hash === hash && digest.size === size && digest.crc32 === crc32;
}

function digestText({ hash, size, crc32 }: Digest): string {
  return `MD5 ${hash} and CRC-32 ${crc32.toString(16).padStart(8, "0")} of ${size} bytes`;
}
