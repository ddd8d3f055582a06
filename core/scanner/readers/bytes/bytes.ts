import { Buffer } from "node:buffer";

/** A view of bytes, to read numbers from. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A little-endian number of 64 bits; undefined where it is over 2^53 and so beyond all files. */
export function readSafeUint64(view: DataView, offset: number): number | undefined {
  const number = view.getBigUint64(offset, true);
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number);
}

/** Every place where the wanted bytes lie, in order. */
export function indexesOf(bytes: Uint8Array, wanted: Uint8Array): number[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: number[] = [];
  let index = buffer.indexOf(wanted);
  while (index >= 0) {
    found.push(index);
    index = buffer.indexOf(wanted, index + 1);
  }
  return found;
}

/** Whether bytes begin with others. */
export function startsWithBytes(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte);
}

/** Whether two pieces are the same bytes. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
