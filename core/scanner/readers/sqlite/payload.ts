import { assertRange, type ByteSource } from "../../contract/source.ts";
import { viewOf } from "../bytes/bytes.ts";

/** Where a database has its pages. */
export interface Pages {
  readonly source: ByteSource;
  readonly pageBytes: number;
  /** Bytes of a page that SQLite uses. */
  readonly usable: number;
  /** The numbers of all pages and their offsets, in the order of these. */
  all(): Iterable<readonly [page: number, offset: number]>;
  /** The offset of a page, or undefined if it is not there. */
  offsetOf(page: number): number | undefined;
}

/** Where a payload is: in its cell, and from there in a chain of pages. */
interface Extent {
  /** Offset of its first bytes in the database. */
  readonly position: number;
  /** How many of them are in the cell. */
  readonly local: number;
  readonly size: number;
  /** The number of the first page of the chain; 0 if there is none. */
  readonly overflow: number;
}

/** The bytes of a record, which end early where its chain of pages does. */
export class PayloadSource implements ByteSource {
  readonly size: number;
  /** Offset of its first bytes in the database. */
  readonly position: number;
  readonly #pages: Pages;
  readonly #extent: Extent;
  /** The offsets of the pages of the chain, as far as they are known. */
  readonly #chain: number[] = [];

  constructor(pages: Pages, extent: Extent) {
    this.#pages = pages;
    this.#extent = extent;
    this.size = extent.size;
    this.position = extent.position;
  }

  read(offset: number, length: number): Uint8Array {
    assertRange(offset, length);
    const bytes = new Uint8Array(Math.min(length, Math.max(0, this.size - offset)));
    let filled = 0;
    while (filled < bytes.length) {
      const piece = this.#piece(offset + filled, bytes.length - filled);
      if (piece.length === 0) return bytes.subarray(0, filled);
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return bytes;
  }

  /** Some bytes from an offset, of one page. */
  #piece(offset: number, length: number): Uint8Array {
    const { source, usable } = this.#pages;
    const { position, local } = this.#extent;
    if (offset < local) return source.read(position + offset, Math.min(length, local - offset));
    const capacity = usable - 4;
    const start = this.#pageAt(Math.floor((offset - local) / capacity));
    if (start === undefined) return new Uint8Array();
    const within = (offset - local) % capacity;
    return source.read(start + 4 + within, Math.min(length, capacity - within));
  }

  /** The offset of a page of the chain; undefined after its end. */
  #pageAt(index: number): number | undefined {
    if (this.#chain.length === 0) this.#follow(this.#extent.overflow);
    while (this.#chain.length <= index) {
      const last = this.#chain.at(-1);
      if (last === undefined) return undefined;
      const next = this.#pages.source.read(last, 4);
      if (next.length < 4 || !this.#follow(viewOf(next).getUint32(0))) return undefined;
    }
    return this.#chain[index];
  }

  /** Adds a page to the chain. Returns whether it is there. */
  #follow(page: number): boolean {
    const offset = page === 0 ? undefined : this.#pages.offsetOf(page);
    if (offset !== undefined) this.#chain.push(offset);
    return offset !== undefined;
  }
}
