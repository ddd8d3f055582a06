import type { ByteSource } from "../../contract/source.ts";
import { KIB } from "../../../../schemas/units.ts";

/** The value of {@link ByteCursor.peek} after the last byte. */
export const END = -1;

const WINDOW_BYTES = 64 * KIB;

/**
 * Reads a source byte by byte, holding one window of it in memory. `readAhead` would allocate an array
 * for each byte.
 */
export class ByteCursor {
  readonly #source: ByteSource;
  readonly #end: number;
  #window: Uint8Array = new Uint8Array();
  #start = 0;
  #at = 0;

  /** @param limit The number of bytes to read at most. */
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

  /** Moves forward by one byte. */
  skip(): void {
    this.#at++;
  }

  #refill(): void {
    this.#start = Math.min(this.position, this.#end);
    this.#at = 0;
    this.#window = this.#source.read(this.#start, Math.min(WINDOW_BYTES, this.#end - this.#start));
  }
}
