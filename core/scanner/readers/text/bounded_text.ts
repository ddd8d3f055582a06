import { MAX_STRING_BYTES } from "../document_event.ts";

const UTF_8 = new TextDecoder();

const FIRST_CAPACITY = 256;

/**
 * Collects the UTF-8 bytes of a string. It keeps the first {@link MAX_STRING_BYTES} and drops the rest,
 * so that a long string never exists as a whole.
 */
export class BoundedText {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #length = 0;
  #isCut = false;

  /** Whether bytes were dropped. */
  get isCut(): boolean {
    return this.#isCut;
  }

  clear(): void {
    this.#length = 0;
    this.#isCut = false;
  }

  /** Appends part of a text whose characters are bytes. */
  append(text: string, from: number, to: number): void {
    const end = Math.min(to, from + MAX_STRING_BYTES - this.#length);
    if (end < to) this.#isCut = true;
    if (end <= from) return;
    this.#reserve(end - from);
    for (let at = from; at < end; at++) this.#bytes[this.#length++] = text.charCodeAt(at);
  }

  appendByte(byte: number): void {
    if (this.#length >= MAX_STRING_BYTES) {
      this.#isCut = true;
      return;
    }
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Appends a character. Surrogates and code points above U+10FFFF become U+FFFD. */
  appendCodePoint(code: number): void {
    if (code < 0x80) return this.appendByte(code);
    const isSurrogate = code >= 0xd800 && code < 0xe000;
    const character = isSurrogate || code > 0x10ffff ? 0xfffd : code;
    const following = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    const lead = [0, 0xc0, 0xe0, 0xf0][following] ?? 0;
    this.appendByte(lead | character >> 6 * following);
    for (let left = following - 1; left >= 0; left--) {
      this.appendByte(0x80 | character >> 6 * left & 0x3f);
    }
  }

  /** Decodes the bytes. A character that was cut in half is dropped. */
  toString(): string {
    const bytes = this.#bytes.subarray(0, this.#length);
    return this.#isCut ? new TextDecoder().decode(bytes, { stream: true }) : UTF_8.decode(bytes);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(
      Math.min(Math.max(needed, this.#bytes.length * 2), MAX_STRING_BYTES),
    );
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
