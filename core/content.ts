/** A piece of content. */
export type Chunk = Uint8Array<ArrayBuffer>;

/**
 * Content being read. Unlike a generator, which runs nothing before its first `next`, it can be
 * ended at any time: whatever happens, `close` runs once, and after it nothing more is read.
 */
export class ContentReader implements AsyncIterableIterator<Chunk> {
  readonly #read: () => Promise<Chunk | undefined>;
  readonly #close: () => void | Promise<void>;
  #open = true;

  /**
   * @param read The next chunk, or undefined behind the last one.
   * @param close Gives back what reading holds.
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
