const POLYNOMIAL = 0xedb8_8320;

/** The CRC-32 of each byte, and of each with one, two or three zeros after it. */
const TABLES = tables();

function tables(): Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value >>> 1 ^ ((value & 1) === 1 ? POLYNOMIAL : 0);
    return value;
  });
  const after = (table: Int32Array) => table.map((it) => it >>> 8 ^ (first[it & 255] ?? 0));
  const second = after(first);
  const third = after(second);
  return [first, second, third, after(third)];
}

/** The CRC-32 of bytes. @param before That of the bytes before them. @default 0 */
export function crc32(bytes: Uint8Array, before = 0): number {
  const [first = EMPTY, second = EMPTY, third = EMPTY, fourth = EMPTY] = TABLES;
  const at = (table: Int32Array, index: number) => table[index & 255] ?? 0;
  let value = ~before;
  const whole = bytes.length & ~3;
  for (let start = 0; start < whole; start += 4) {
    value ^= (bytes[start] ?? 0) | (bytes[start + 1] ?? 0) << 8 |
      (bytes[start + 2] ?? 0) << 16 | (bytes[start + 3] ?? 0) << 24;
    value = at(fourth, value) ^ at(third, value >>> 8) ^ at(second, value >>> 16) ^
      at(first, value >>> 24);
  }
  for (const byte of bytes.subarray(whole)) value = value >>> 8 ^ at(first, value ^ byte);
  return ~value >>> 0;
}

const EMPTY = new Int32Array();
