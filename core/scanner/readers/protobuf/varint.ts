const MAX_VARINT_BYTES = 10;
/** A number holds the 49 bits of this many bytes exactly. */
const MAX_EXACT_BYTES = 7;

/** A number, and how many bytes encode it. */
export interface Varint {
  readonly value: bigint;
  readonly length: number;
}

/**
 * Reads the base-128 varint at `offset` as an unsigned 64-bit integer. Returns undefined if it does not
 * end within the bytes, or within ten of them.
 */
export function readVarint(bytes: Uint8Array, offset: number): Varint | undefined {
  let low = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    if (index >= MAX_EXACT_BYTES) return readLong(bytes, offset, low);
    low += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value: BigInt(low), length: index + 1 };
  }
  return undefined;
}

/** Continues after the first seven bytes, whose value is `low`. */
function readLong(bytes: Uint8Array, offset: number, low: number): Varint | undefined {
  let value = BigInt(low);
  for (let index = MAX_EXACT_BYTES; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), length: index + 1 };
  }
  return undefined;
}
