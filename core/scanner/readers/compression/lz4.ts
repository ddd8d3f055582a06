import { viewOf } from "../bytes/bytes.ts";
import { DamagedData, type OutputBuffer } from "./output_buffer.ts";

const FRAME = 0x184d2204;
const LEGACY_FRAME = 0x184c2102;
const SKIPPABLE = 0x184d2a5;
const UNCOMPRESSED = 0x8000_0000;

/** The largest match that the end of a block leaves room for: copies are at least this long. */
const MIN_MATCH = 4;

/**
 * Unpacks LZ4 frames, also those of the legacy format, until the data ends. Returns the number of bytes
 * that were read.
 *
 * @throws {DamagedData} when a frame is malformed or cut off.
 */
export function unpackLz4(packed: Uint8Array, output: OutputBuffer): number {
  const view = viewOf(packed);
  let at = 0;
  while (at + 4 <= packed.length) {
    const magic = view.getUint32(at, true);
    if (magic === FRAME) at = frame(packed, view, at + 4, output);
    else if (magic === LEGACY_FRAME) at = blocks(packed, view, at + 4, output, true);
    else if (magic >>> 4 === SKIPPABLE && at + 8 <= packed.length) {
      at += 8 + view.getUint32(at + 4, true);
    } else if (at === 0) throw new DamagedData("No LZ4 frame");
    else break;
  }
  return Math.min(at, packed.length);
}

/**
 * Unpacks a block after its size, as the chunks of zarr have it. Returns the number of bytes that were
 * read.
 *
 * @throws {DamagedData} when the block is malformed, or unpacks to another size.
 */
export function unpackSizedLz4(packed: Uint8Array, output: OutputBuffer): number {
  const size = packed.length < 4 ? 0 : viewOf(packed).getUint32(0, true);
  unpackLz4Block(packed.subarray(4), output, output.length);
  if (output.length !== size) throw new DamagedData("A block has another size");
  return packed.length;
}

function frame(packed: Uint8Array, view: DataView, start: number, output: OutputBuffer): number {
  const flags = packed[start] ?? 0;
  if (flags >> 6 !== 1) throw new DamagedData("Unknown version of LZ4");
  const sizeBytes = (flags & 0x08) !== 0 ? 8 : 0;
  const dictionaryBytes = (flags & 0x01) !== 0 ? 4 : 0;
  const end = blocks(
    packed,
    view,
    start + 3 + sizeBytes + dictionaryBytes,
    output,
    false,
    (flags & 0x10) !== 0 ? 4 : 0,
  );
  return end + ((flags & 0x04) !== 0 ? 4 : 0);
}

function blocks(
  packed: Uint8Array,
  view: DataView,
  start: number,
  output: OutputBuffer,
  isLegacy: boolean,
  checksumBytes = 0,
): number {
  const earliest = output.length;
  let at = start;
  for (;;) {
    if (isLegacy && at === packed.length) return at;
    if (at + 4 > packed.length) throw new DamagedData("A block is cut off");
    const word = view.getUint32(at, true);
    if (isLegacy && (word === FRAME || word === LEGACY_FRAME)) return at;
    at += 4;
    if (word === 0 && !isLegacy) return at;
    const isStored = !isLegacy && word >= UNCOMPRESSED;
    const size = isStored ? word - UNCOMPRESSED : word;
    const block = packed.subarray(at, at + size);
    if (isStored) output.append(block);
    else unpackLz4Block(block, output, isLegacy ? output.length : earliest);
    if (block.length < size) throw new DamagedData("A block is cut off");
    at += size + checksumBytes;
  }
}

/**
 * Unpacks one block. Matches reach back to `earliest`.
 *
 * @throws {DamagedData} when the block is malformed or cut off.
 */
export function unpackLz4Block(block: Uint8Array, output: OutputBuffer, earliest: number): void {
  let at = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble < 15) return total;
    for (let more = 255; more === 255;) {
      if (at >= block.length) throw new DamagedData("A length is cut off");
      more = block[at++] ?? 0;
      total += more;
    }
    return total;
  };
  while (at < block.length) {
    const token = block[at++] ?? 0;
    const literals = length(token >> 4);
    const stop = at + literals;
    output.append(block.subarray(at, stop));
    if (stop > block.length) throw new DamagedData("Literals are cut off");
    at = stop;
    if (at >= block.length) return;
    const distance = (block[at] ?? 0) | (block[at + 1] ?? 0) << 8;
    at += 2;
    const count = length(token & 15) + MIN_MATCH;
    if (distance === 0 || distance > output.length - earliest) {
      throw new DamagedData("A match reaches before the start");
    }
    output.reserve(count);
    output.repeat(distance, count);
  }
}
