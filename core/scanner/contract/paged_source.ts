import { assertRange, type ByteSource } from "./source.ts";

/** Content is read in pages of this size, as scanners make many small reads in order. */
const PAGE_BYTES = 16 * 1024;
/** Number of pages kept in memory. */
const MAX_PAGES = 256;

/**
 * Fills `target` with the bytes from `offset`, all within the content. Returns how many there were: fewer
 * if it has become shorter.
 */
export type ReadInto = (offset: number, target: Uint8Array) => number;

/** A source of content that is not in memory. */
export class PagedSource implements ByteSource {
  readonly size: number;
  readonly readInto: ReadInto;
  /** Pages by number, least recently used first. */
  readonly #pages = new Map<number, Uint8Array>();

  constructor(size: number, readInto: ReadInto) {
    this.size = size;
    this.readInto = readInto;
  }

  read(offset: number, length: number): Uint8Array {
    assertRange(offset, length);
    const requested = Math.max(0, Math.min(length, this.size - offset));
    const page = Math.floor(offset / PAGE_BYTES);
    const within = offset - page * PAGE_BYTES;
    if (within + requested > PAGE_BYTES) return this.#readRange(offset, requested);
    return this.#page(page).subarray(within, within + requested);
  }

  #readRange(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, this.readInto(offset, bytes));
  }

  #page(number: number): Uint8Array {
    const cached = this.#pages.get(number);
    const start = number * PAGE_BYTES;
    const length = Math.max(0, Math.min(PAGE_BYTES, this.size - start));
    const page = cached ?? this.#readRange(start, length);
    this.#pages.delete(number);
    this.#pages.set(number, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }
}
