import { LzmaDecoder } from "./lzma_decoder.ts";
import { DamagedData, type OutputBuffer } from "./output_buffer.ts";

const HEADER_BYTES = 13;

/**
 * Unpacks a `.lzma` file: properties, the size of the dictionary, the size of the content, and the data.
 * Returns the number of bytes that were read.
 *
 * @throws {DamagedData} when it is malformed or cut off.
 */
export function unpackLzma(packed: Uint8Array, output: OutputBuffer): number {
  if (packed.length < HEADER_BYTES) throw new DamagedData("The header is cut off");
  const decoder = new LzmaDecoder(output);
  decoder.setProperties(packed[0] ?? 0);
  decoder.decode(packed, HEADER_BYTES, sizeAt(packed, 5));
  return decoder.at;
}

/**
 * Unpacks the LZMA of a ZIP archive (APPNOTE 5.8.8): a version, the size of the properties, these, and the
 * data. Returns the number of bytes that were read.
 *
 * @param size The declared size of the content, which is untrusted.
 * @throws {DamagedData} when it is malformed or cut off.
 */
export function unpackZipLzma(
  packed: Uint8Array,
  output: OutputBuffer,
  size: number | undefined,
): number {
  const properties = (packed[2] ?? 0) | (packed[3] ?? 0) << 8;
  const decoder = new LzmaDecoder(output);
  decoder.setProperties(packed[4] ?? 0);
  try {
    decoder.decode(packed, 4 + properties, undefined);
  } catch (error) {
    const more = output.length - (size ?? Infinity);
    // Without a mark, the decoder makes up a little after the end of the data.
    if (!(error instanceof DamagedData && more >= 0 && more <= MAX_MADE_UP_BYTES)) throw error;
    output.length -= more;
    return packed.length;
  }
  return decoder.at;
}

/** The longest match, and some literals. */
const MAX_MADE_UP_BYTES = 300;

/** The size of the content, or undefined if a mark ends it. */
function sizeAt(packed: Uint8Array, at: number): number | undefined {
  let size = 0;
  for (let i = 7; i >= 0; i--) size = size * 256 + (packed[at + i] ?? 0);
  return size >= 2 ** 63 ? undefined : size;
}

/**
 * Unpacks LZMA2 chunks from an offset. Returns the offset after them.
 *
 * @throws {DamagedData} when a chunk is malformed or cut off.
 */
export function unpackLzma2(packed: Uint8Array, from: number, output: OutputBuffer): number {
  const decoder = new LzmaDecoder(output);
  let at = from;
  for (;;) {
    const control = packed[at++];
    if (control === undefined) throw new DamagedData("A chunk is cut off");
    if (control === 0) return at;
    const low = (packed[at] ?? 0) << 8 | (packed[at + 1] ?? 0);
    at += 2;
    if (control < 0x80) {
      if (control > 2) throw new DamagedData("An unknown chunk");
      if (control === 1) decoder.resetDictionary();
      const chunk = packed.subarray(at, at + low + 1);
      output.append(chunk);
      if (chunk.length <= low) throw new DamagedData("A chunk is cut off");
      at += low + 1;
      continue;
    }
    const size = ((control & 0x1f) << 16 | low) + 1;
    const packedSize = ((packed[at] ?? 0) << 8 | (packed[at + 1] ?? 0)) + 1;
    at += 2;
    const reset = (control >> 5) & 3;
    if (reset === 3) decoder.resetDictionary();
    if (reset >= 2) decoder.setProperties(packed[at++] ?? 0);
    else if (reset === 1) decoder.resetState();
    decoder.decode(packed.subarray(0, at + packedSize), at, size);
    at += packedSize;
  }
}
