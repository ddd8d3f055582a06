import { utf8FromLatin1 } from "../bytes/latin1_text.ts";
import { MAX_STRING_BYTES } from "../document_event.ts";
import { BoundedText } from "../text/bounded_text.ts";
import { CODES, type YamlCursor } from "./cursor.ts";

/** A scalar that was read. */
export interface Scalar {
  readonly value: string;
  /** Whether the value is only the beginning of a longer one. */
  readonly isCut: boolean;
}

/** Collects the value of a scalar from parts of the text of a cursor. */
export class ScalarText {
  readonly #cursor: YamlCursor;
  readonly #text = new BoundedText();

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
  }

  clear(): void {
    this.#text.clear();
  }

  /** Appends a part of the text. */
  append(from: number, to: number): void {
    this.#text.append(this.#cursor.text, from, to);
  }

  appendByte(byte: number): void {
    this.#text.appendByte(byte);
  }

  appendCodePoint(code: number): void {
    this.#text.appendCodePoint(code);
  }

  /** Appends the line breaks among the blanks of a part of the text, and returns their number. */
  appendBreaks(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to;) {
      const length = this.#cursor.breakLength(at);
      if (length > 0) count++;
      if (this.#cursor.isSeparator(at)) this.append(at, at + length);
      else if (length > 0) this.appendByte(CODES.lineFeed);
      at += Math.max(length, 1);
    }
    return count;
  }

  /**
   * Appends the line breaks of a part of the text that begins with one, folded: a single one is a space,
   * and of several the first is dropped.
   */
  fold(from: number, to: number): void {
    const isSeparator = this.#cursor.isSeparator(from);
    const rest = isSeparator ? from : from + this.#cursor.breakLength(from);
    if (this.appendBreaks(rest, to) === 0) this.appendByte(CODES.space);
  }

  /** The scalar that was collected. */
  collected(): Scalar {
    return { value: this.#text.toString(), isCut: this.#text.isCut };
  }

  /** A scalar that is a part of the text as it is written. */
  slice(from: number, to: number): Scalar {
    const end = Math.min(to, from + MAX_STRING_BYTES);
    return { value: utf8FromLatin1(this.#cursor.text.slice(from, end)), isCut: end < to };
  }
}
