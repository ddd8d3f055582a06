/** How many bytes an element of a vector takes, or how many words in text. */
export interface RElement {
  readonly bytes: number;
  readonly words: number;
}

/** Reads the parts of a serialized object. Its methods throw a RangeError at the end of the data. */
export abstract class RDataCursor {
  /** The offset of what is read next. */
  abstract readonly at: number;

  abstract integer(): number;

  abstract skipElements(count: number, element: RElement): void;

  abstract skipText(bytes: number): void;

  /** Skips to the first item: over the versions and the name of the encoding of texts. */
  skipHeader(): void {
    const version = this.integer();
    this.integer();
    this.integer();
    if (version === 3) this.skipText(this.integer());
  }

  /** A number of elements: from 2^31 on, -1 and two halves. */
  length(): number {
    const length = this.integer();
    const whole = length === -1 ? this.integer() * 2 ** 32 + (this.integer() >>> 0) : length;
    if (whole < 0) throw new RangeError(`A length of ${whole} before ${this.at}`);
    return whole;
  }
}
