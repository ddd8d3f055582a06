import { assertRange, type ByteSource } from "../../contract/source.ts";
import { viewOf } from "../bytes/bytes.ts";

/** Where a database has its pages. */
export interface Pages {
  readonly source: ByteSource;
  readonly pageBytes: number;
  /** Bytes of a page that SQLite uses. */
  readonly usable: number;
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
  /** The numbers of the pages of the chain, as far as they are known. */
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
    const { source, pageBytes, usable } = this.#pages;
    const { position, local } = this.#extent;
    if (offset < local) return source.read(position + offset, Math.min(length, local - offset));
    const capacity = usable - 4;
    const page = this.#page(Math.floor((offset - local) / capacity));
    if (page === undefined) return new Uint8Array();
    const within = (offset - local) % capacity;
    return source.read((page - 1) * pageBytes + 4 + within, Math.min(length, capacity - within));
  }

  /** The number of a page of the chain; undefined after its end. */
  #page(index: number): number | undefined {
    const { source, pageBytes } = this.#pages;
    if (this.#chain.length === 0) this.#chain.push(this.#extent.overflow);
    while (this.#chain.length <= index) {
      const last = this.#chain.at(-1) ?? 0;
      if (last === 0) return undefined;
      const next = source.read((last - 1) * pageBytes, 4);
      this.#chain.push(next.length < 4 ? 0 : viewOf(next).getUint32(0));
    }
    return this.#chain[index] || undefined;
  }
}
