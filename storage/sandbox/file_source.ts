import type { ByteSource } from "../../core/scanner/scan.ts";

/** Files are read in pages of this size, as scanners make many small reads in order. */
const PAGE_BYTES = 64 * 1024;
/** Number of pages kept in memory. */
const MAX_PAGES = 64;

/** Reads an open file. If the file is truncated meanwhile, it appears to end there. */
export class FileSource implements ByteSource {
  readonly size: number;
  readonly #file: Deno.FsFile;
  /** Pages by number, least recently used first. */
  readonly #pages = new Map<number, Uint8Array>();

  constructor(file: Deno.FsFile) {
    this.#file = file;
    // fstat needs permission for the target of a link, seeking only for the name that was opened.
    this.size = file.seekSync(0, Deno.SeekMode.End);
  }

  read(offset: number, length: number): Uint8Array {
    if (
      !(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0)
    ) {
      throw new RangeError(`Cannot read ${length} bytes at ${offset}`);
    }
    const requested = Math.max(0, Math.min(length, this.size - offset));
    const page = Math.floor(offset / PAGE_BYTES);
    const within = offset - page * PAGE_BYTES;
    if (within + requested > PAGE_BYTES) return this.#fromFile(offset, requested);
    return this.#page(page).subarray(within, within + requested);
  }

  #page(number: number): Uint8Array {
    const cached = this.#pages.get(number);
    const start = number * PAGE_BYTES;
    const page = cached ?? this.#fromFile(start, Math.min(PAGE_BYTES, this.size - start));
    this.#pages.delete(number);
    this.#pages.set(number, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }

  #fromFile(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(Math.max(0, length));
    this.#file.seekSync(offset, Deno.SeekMode.Start);
    let filled = 0;
    while (filled < bytes.length) {
      const read = this.#file.readSync(bytes.subarray(filled));
      if (read === null) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  }
}
