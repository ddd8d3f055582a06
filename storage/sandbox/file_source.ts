import type { ByteSource } from "../../core/scanner/mod.ts";

/** Bytes that are read ahead: scanners look at one small thing after the other. */
const PAGE_BYTES = 64 * 1024;
/** Pages that are kept. */
const MAX_PAGES = 64;

/** An open file as a source. A file that is cut off while it is read seems to end there. */
export class FileSource implements ByteSource {
  readonly size: number;
  readonly #file: Deno.FsFile;
  /** Each page by its number, the one that was used last at the end. */
  readonly #pages = new Map<number, Uint8Array>();

  constructor(file: Deno.FsFile) {
    this.#file = file;
    this.size = file.statSync().size;
  }

  read(offset: number, length: number): Uint8Array {
    if (
      !(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0)
    ) {
      throw new RangeError(`Cannot read ${length} bytes at ${offset}`);
    }
    const wanted = Math.max(0, Math.min(length, this.size - offset));
    const page = Math.floor(offset / PAGE_BYTES);
    const within = offset - page * PAGE_BYTES;
    if (within + wanted > PAGE_BYTES) return this.#fromFile(offset, wanted);
    return this.#page(page).subarray(within, within + wanted);
  }

  #page(number: number): Uint8Array {
    const kept = this.#pages.get(number);
    const start = number * PAGE_BYTES;
    const page = kept ?? this.#fromFile(start, Math.min(PAGE_BYTES, this.size - start));
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
