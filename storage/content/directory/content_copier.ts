import type { Chunk } from "../../../core/content.ts";
import type { ContentFacts } from "../../../core/ports.ts";
import { orMissing, removeFile } from "../../disk/files.ts";
import { FILES_ONLY } from "../../threads/permissions.ts";
import { WorkerPool } from "../../threads/pool.ts";
import { WORKERS } from "../../threads/workers.ts";
import { BlobWriter } from "./blob_writer.ts";
import type { ContentTasks } from "../content_tasks.ts";
import type { Digest } from "../hasher.ts";
import { readRange } from "../read_range.ts";

/** Where to copy content from and to. */
export interface CopyPaths {
  /** Where the content may be. The first file that has it is copied. */
  readonly sources: Iterable<string>;
  readonly target: string;
}

/** Copies content between directories, and verifies it on the way. */
export class ContentCopier implements Disposable {
  readonly #temporary: string;
  readonly #pool: WorkerPool<ContentTasks>;
  readonly #writer: BlobWriter;

  /** @param temporary A directory on the file system of the copies, for what is not whole yet. */
  constructor(temporary: string) {
    this.#temporary = temporary;
    this.#pool = new WorkerPool(WORKERS.content, navigator.hardwareConcurrency, FILES_ONLY);
    this.#writer = new BlobWriter(this.#pool, () => {});
  }

  /**
   * Copies content and syncs the copy, but not its directory. The copy appears when it is whole. If no
   * source has the content, returns what was found instead: "nothing" if there is no file.
   *
   * @param onBytes Called with the number of bytes that were read since the last call.
   */
  async copy(
    content: ContentFacts,
    { sources, target }: CopyPaths,
    onBytes: (bytes: number) => void,
  ): Promise<string | undefined> {
    let found = NOTHING;
    for (const source of sources) {
      const temporary = `${this.#temporary}/${crypto.randomUUID()}`;
      try {
        const digest = await this.#write(temporary, source, content, onBytes);
        if (digest === undefined) continue;
        if (isDigestOf(digest, content)) {
          await Deno.rename(temporary, target);
          return undefined;
        }
        found = digestText(digest);
      } catch (error) {
        if (!(error instanceof ReadFailure)) throw error;
        found = error.message;
      } finally {
        await removeFile(temporary);
      }
    }
    return found;
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
    const chunks = readRange(file, { start: 0, end: size });
    return await this.#writer.write(temporary, readable(chunks, onBytes));
  }
}

/** What {@link ContentCopier.copy} returns if there is no file. */
export const NOTHING = "nothing";

/** A source could not be read to its end. */
class ReadFailure extends Error {}

/** @throws {ReadFailure} when the content cannot be read. */
async function* readable(
  chunks: AsyncIterableIterator<Chunk>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Chunk> {
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((error) => {
        throw new ReadFailure(error.message, { cause: error });
      });
      if (done) return;
      onBytes(value.length);
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

function isDigestOf(digest: Digest, { hash, size, crc32 }: ContentFacts): boolean {
  return digest.hash === hash && digest.size === size && digest.crc32 === crc32;
}

function digestText({ hash, size, crc32 }: Digest): string {
  return `MD5 ${hash} and CRC-32 ${crc32.toString(16).padStart(8, "0")} of ${size} bytes`;
}
