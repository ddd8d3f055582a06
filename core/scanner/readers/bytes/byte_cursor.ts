import type { ByteSource } from "../../contract/source.ts";

/** What stands after the last byte. */
export const END = -1;

const WINDOW = 64 * 1024;

/**
 * Goes through the bytes of a source one by one, with little of it in memory. It has a window of its
 * own, for `bytes/read_ahead.ts` makes an array for each read.
 */
export class ByteCursor {
  readonly #source: ByteSource;
  readonly #end: number;
  #window: Uint8Array = new Uint8Array();
  #start = 0;
  #at = 0;

  constructor(source: ByteSource, limit: number) {
    this.#source = source;
    this.#end = Math.min(source.size, limit);
  }

  get position(): number {
    return this.#start + this.#at;
  }

  /** The byte at the position, or {@link END}. */
  peek(): number {
    if (this.#at >= this.#window.length) this.#refill();
    return this.#window[this.#at] ?? END;
  }

  /** Goes on by one byte. */
  skip(): void {
    this.#at++;
  }

  #refill(): void {
    this.#start = Math.min(this.position, this.#end);
    this.#at = 0;
    this.#window = this.#source.read(this.#start, Math.min(WINDOW, this.#end - this.#start));
  }
}
