import type { Chunk } from "../content.ts";
import { AppError } from "../errors.ts";

/** The longest line of an archive, in bytes. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEW_LINE = 10;

/** The error for an archive that is not what {@link exportArchive} writes. */
export function invalidArchive(reason: string): AppError {
  return new AppError("ErrResourcesInvalidData", `Cannot import the archive: ${reason}`);
}

/** Reads an archive from its start to its end: lines of JSON, and content in between. */
export class ArchiveReader {
  readonly #chunks: AsyncIterator<Chunk>;
  #rest: Chunk = new Uint8Array();

  constructor(content: AsyncIterable<Chunk>) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  /**
   * The value in the next line.
   *
   * @throws {AppError} `ErrResourcesInvalidData` at the end, and when the line is not JSON.
   */
  async line(): Promise<unknown> {
    const parts: Chunk[] = [];
    for (let bytes = 0;;) {
      const end = this.#rest.indexOf(NEW_LINE);
      const part = this.#rest.slice(0, end < 0 ? undefined : end);
      bytes += part.length;
      if (bytes > MAX_LINE_BYTES) throw invalidArchive("a line is too long");
      parts.push(part);
      if (end >= 0) {
        this.#rest = this.#rest.subarray(end + 1);
        return parsed(parts);
      }
      if (!await this.#readMore()) throw invalidArchive("it is cut off");
    }
  }

  /** The next bytes, which have to be read to their end. @throws {AppError} `ErrResourcesInvalidData` */
  async *bytes(size: number): AsyncGenerator<Chunk, void> {
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0 && !await this.#readMore()) throw invalidArchive("it is cut off");
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** @throws {AppError} `ErrResourcesInvalidData` when something follows. */
  async end(): Promise<void> {
    if (this.#rest.length > 0 || await this.#readMore()) throw invalidArchive("it goes on");
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    this.#rest = done ? new Uint8Array() : value;
    return !done;
  }
}

function parsed(parts: readonly Chunk[]): unknown {
  const text = parts.map((part) => new TextDecoder("latin1").decode(part)).join("");
  try {
    // JSON of exports is ASCII.
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidArchive("a line is not JSON");
    throw error;
  }
}
