import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../../readers/bytes/bytes.ts";
import { readAhead } from "../../readers/bytes/read_ahead.ts";
import { RDataCursor, type RElement } from "./cursor.ts";

/** Reads numbers of a fixed size. */
export class BinaryCursor extends RDataCursor {
  readonly #source: ByteSource;
  readonly #littleEndian: boolean;
  at: number;

  constructor(source: ByteSource, start: number, littleEndian: boolean) {
    super();
    this.#source = readAhead(source);
    this.#littleEndian = littleEndian;
    this.at = start;
  }

  integer(): number {
    const bytes = this.#source.read(this.at, 4);
    if (bytes.length < 4) throw new RangeError(`The data ends at ${this.at}`);
    this.at += 4;
    return viewOf(bytes).getInt32(0, this.#littleEndian);
  }

  skipElements(count: number, { bytes }: RElement): void {
    this.skipText(count * bytes);
  }

  skipText(bytes: number): void {
    if (bytes < 0 || this.at + bytes > this.#source.size) {
      throw new RangeError(`The data ends before ${this.at + bytes}`);
    }
    this.at += bytes;
  }
}
