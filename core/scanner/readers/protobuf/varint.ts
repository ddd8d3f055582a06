const LONGEST_VARINT = 10;

/**
 * The number at `offset` in base 128, lowest digits first, as 64 bits without sign; undefined where it
 * does not end within the bytes or within ten of them.
 */
export function readVarint(
  bytes: Uint8Array,
  offset: number,
): { readonly value: bigint; readonly length: number } | undefined {
  let low = 0;
  for (let index = 0; index < LONGEST_VARINT; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    if (index >= EXACT_DIGITS) return readLong(bytes, offset, low);
    low += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value: BigInt(low), length: index + 1 };
  }
  return undefined;
}

/** Digits of 7 bits that a float holds exactly. */
const EXACT_DIGITS = 7;

function readLong(
  bytes: Uint8Array,
  offset: number,
  low: number,
): { readonly value: bigint; readonly length: number } | undefined {
  let value = BigInt(low);
  for (let index = EXACT_DIGITS; index < LONGEST_VARINT; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), length: index + 1 };
  }
  return undefined;
}
