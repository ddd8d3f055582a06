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
