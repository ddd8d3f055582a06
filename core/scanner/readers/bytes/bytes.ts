import { Buffer } from "node:buffer";

/** A view for reading numbers from the bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads a little-endian 64-bit integer. Returns undefined above 2^53 - 1, which no file size reaches. */
export function readSafeUint64(view: DataView, offset: number): number | undefined {
  const number = view.getBigUint64(offset, true);
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(number);
}

/** Joins byte arrays into one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether the two arrays hold the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && startsWithBytes(a, b);
}

/** Whether the bytes begin with the prefix. */
export function startsWithBytes(bytes: Uint8Array, prefix: ArrayLike<number>): boolean {
  if (bytes.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[index] !== prefix[index]) return false;
  }
  return true;
}

/** The offset of each occurrence of `needle`, in ascending order. Occurrences may overlap. */
export function indexesOf(bytes: Uint8Array, needle: Uint8Array): number[] {
  const [first = 0] = needle;
  const found: number[] = [];
  // The search for a byte is native, that for several is not in all runtimes.
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (needle.every((byte, index) => bytes[at + index] === byte)) found.push(at);
  }
  return found;
}

/**
 * Decodes each byte as the character U+0000 to U+00FF with its value, so that an offset in the text is
 * an offset in the bytes. `TextDecoder("latin1")` does not: it decodes windows-1252.
 */
export function decodeLatin1(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("latin1");
}

/** The same memory as a Buffer, without a copy. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
