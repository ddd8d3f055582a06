import { DamagedData } from "../../readers/compression/output_buffer.ts";

/** Reads the fields of a 7z header. Its methods throw {@link DamagedData} at the end of the data. */
export class SevenZipCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (!(end <= this.#bytes.length)) throw new DamagedData("The header is cut off");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** A number of up to eight bytes: the leading ones of the first byte count those after it. */
  number(): number {
    const first = this.byte();
    let mask = 0x80;
    let value = 0;
    for (let i = 0; i < 8; i++) {
      if ((first & mask) === 0) return value + (first & (mask - 1)) * 2 ** (8 * i);
      value += this.byte() * 2 ** (8 * i);
      mask >>= 1;
    }
    return value;
  }

  /** A number of things, of which each takes at least `bytesOfEach` bytes of the header or the archive. */
  count(most: number): number {
    const count = this.number();
    if (count > most) throw new DamagedData(`Too many parts: ${count}`);
    return count;
  }

  /** Bits, the most significant ones first. */
  bits(count: number): boolean[] {
    const bytes = this.take(Math.ceil(count / 8));
    return Array.from(
      { length: count },
      (_, i) => ((bytes[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0,
    );
  }

  /** Bits, or a mark that all are set. */
  optionalBits(count: number): boolean[] {
    return this.byte() !== 0 ? Array.from({ length: count }, () => true) : this.bits(count);
  }

  /** Checksums, which are skipped. Returns which of the parts have one. */
  digests(count: number): boolean[] {
    const defined = this.optionalBits(count);
    this.take(4 * defined.filter(Boolean).length);
    return defined;
  }
}
