/** A value of a record that is text or bytes, as a range of the payload. */
export interface RecordValue {
  readonly offset: number;
  readonly length: number;
}

/** Bytes of the values of the serial types 0 to 9 (SQLite file format, 2.1). */
const SIZES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
const MAX_VARINT_BYTES = 9;
/** The first serial types of bytes and of text. Even ones are bytes. */
const FIRST_BYTES = 12;
const FIRST_TEXT = 13;

/** An integer of variable length, and where it ends. */
export interface Varint {
  readonly value: number;
  readonly end: number;
}

/** Reads an integer of variable length; undefined past the end of the bytes. */
export function varintAt(bytes: Uint8Array, start: number): Varint | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    if (index === MAX_VARINT_BYTES - 1) {
      return { value: value * 256 + byte, end: start + index + 1 };
    }
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}

/**
 * The texts and bytes in a record. Ends early where its header is cut off.
 *
 * @param head The beginning of the payload, with the header of the record.
 */
export function* valuesOf(head: Uint8Array): Generator<RecordValue, void, void> {
  const header = varintAt(head, 0);
  if (header === undefined) return;
  let offset = header.value;
  let at = header.end;
  while (at < header.value) {
    const type = varintAt(head, at);
    if (type === undefined) return;
    at = type.end;
    const { value } = type;
    const isText = value % 2 === 1;
    const length = value < FIRST_BYTES
      ? SIZES[value] ?? 0
      : Math.floor((value - (isText ? FIRST_TEXT : FIRST_BYTES)) / 2);
    if (value >= FIRST_BYTES) yield { offset, length };
    offset += length;
  }
}
