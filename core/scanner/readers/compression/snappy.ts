import { DamagedData, type OutputBuffer } from "./output_buffer.ts";

/** Literals of up to this many bytes have their length in the tag; longer ones in bytes after it. */
const MAX_SHORT_LITERAL = 60;
const MAX_LENGTH_BYTES = 5;

/**
 * Unpacks a block of Snappy: its unpacked size, then literals and copies of what came before. Returns the
 * number of bytes that were read.
 *
 * @throws {DamagedData} when the block is malformed, or unpacks to another size.
 */
export function unpackSnappy(packed: Uint8Array, output: OutputBuffer): number {
  const earliest = output.length;
  let at = 0;
  const little = (bytes: number): number => {
    let value = 0;
    for (let index = 0; index < bytes; index++) value += (packed[at + index] ?? 0) * 256 ** index;
    at += bytes;
    return value;
  };
  let size = 0;
  for (let index = 0;; index++) {
    const byte = packed[at++];
    if (byte === undefined || index === MAX_LENGTH_BYTES) {
      throw new DamagedData("A size is cut off");
    }
    size += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) break;
  }
  while (at < packed.length) {
    const tag = packed[at++] ?? 0;
    if ((tag & 3) === 0) {
      const short = (tag >> 2) + 1;
      const count = short <= MAX_SHORT_LITERAL ? short : little(short - MAX_SHORT_LITERAL) + 1;
      output.append(packed.subarray(at, at + count));
      if (at + count > packed.length) throw new DamagedData("Literals are cut off");
      at += count;
      continue;
    }
    const isNear = (tag & 3) === 1;
    const count = isNear ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
    const distance = isNear ? (tag >> 5) * 256 + little(1) : little((tag & 3) === 2 ? 2 : 4);
    if (distance === 0 || distance > output.length - earliest) {
      throw new DamagedData("A copy reaches before the start");
    }
    output.reserve(count);
    output.repeat(distance, count);
  }
  if (output.length - earliest !== size) throw new DamagedData("A block has another size");
  return packed.length;
}
