import type { ByteSource } from "../../contract/source.ts";
import { KIB } from "../../../../schemas/units.ts";
import { RDataCursor, type RElement } from "./cursor.ts";

const CHUNK_BYTES = 64 * KIB;
/** R stops at longer words. */
const MAX_WORD_BYTES = 100;
const BACKSLASH = 0x5c;
const MAX_OCTAL_DIGITS = 3;

/** R's value for a missing number, which text has as `NA`. */
const MISSING = -(2 ** 31);

/** Reads numbers as words between white space, and texts with escapes (`InWord`, `InString` of R). */
export class TextCursor extends RDataCursor {
  readonly #source: ByteSource;
  #chunk: Uint8Array = new Uint8Array();
  #chunkStart = 0;
  at: number;

  constructor(source: ByteSource, start: number) {
    super();
    this.#source = source;
    this.at = start;
  }

  integer(): number {
    const word = this.#word();
    if (word === "NA") return MISSING;
    if (!/^[+-]?\d+$/.test(word)) throw new RangeError(`Not a whole number before ${this.at}`);
    return Number(word) | 0;
  }

  skipElements(count: number, { words }: RElement): void {
    for (let left = count * words; left > 0; left--) this.#word();
  }

  skipText(bytes: number): void {
    if (bytes <= 0) return;
    this.#skipSpace();
    for (let left = bytes; left > 0; left--) {
      if (this.#next() === BACKSLASH) this.#skipEscaped();
    }
  }

  /** Skips one letter, or up to three octal digits. */
  #skipEscaped(): void {
    let digits = isOctal(this.#next()) ? 1 : MAX_OCTAL_DIGITS;
    while (digits++ < MAX_OCTAL_DIGITS && isOctal(this.#peek())) this.at++;
  }

  #word(): string {
    this.#skipSpace();
    let word = "";
    do {
      word += String.fromCharCode(this.#next());
      if (word.length > MAX_WORD_BYTES) throw new RangeError(`A long word before ${this.at}`);
    } while (!isSpace(this.#peek()));
    return word;
  }

  #skipSpace(): void {
    while (isSpace(this.#next())) { /* skipped */ }
    this.at--;
  }

  #next(): number {
    const byte = this.#peek();
    if (byte === undefined) throw new RangeError(`The data ends at ${this.at}`);
    this.at++;
    return byte;
  }

  /** The byte at the offset, or undefined at the end. */
  #peek(): number | undefined {
    const index = this.at - this.#chunkStart;
    if (index >= 0 && index < this.#chunk.length) return this.#chunk[index];
    this.#chunkStart = this.at;
    this.#chunk = this.#source.read(this.at, CHUNK_BYTES);
    return this.#chunk[0];
  }
}

/** White space of C. The end of the data ends a word as well. */
function isSpace(byte: number | undefined): boolean {
  return byte === undefined || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function isOctal(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x37;
}
