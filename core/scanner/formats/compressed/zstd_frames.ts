import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../../readers/bytes/bytes.ts";

/** A frame of a Zstandard stream (RFC 8878, 3.1). */
export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** Whether the frame is skippable: user data that decoders ignore. */
  readonly skippable: boolean;
}

const MAGIC = 0xfd2fb528;
const LZ4_MAGIC = 0x184d2204;
const LZ4_VERSION = 1;
const SKIPPABLE = 0x184d2a50;
const MAX_FRAMES = 10_000;
/** An empty skippable frame, and the shortest data frame. */
const MIN_FRAME_BYTES = 8;
const DICTIONARY_SIZES = [0, 1, 2, 4];
const CONTENT_SIZES = [0, 2, 4, 8];
/** Block type of a repeated byte, which stores that byte only. */
const RLE_BLOCK = 1;

/** Splits bytes into frames, and stops at the first frame that is invalid or truncated. */
export function zstdFrames(bytes: Uint8Array): ZstdFrame[] {
  const view = viewOf(bytes);
  const frames: ZstdFrame[] = [];
  let start = 0;
  while (start + MIN_FRAME_BYTES <= bytes.length && frames.length < MAX_FRAMES) {
    const magic = view.getUint32(start, true);
    const skippable = isSkippable(magic);
    if (!skippable && magic !== MAGIC) break;
    const end = skippable ? start + 8 + view.getUint32(start + 4, true) : endOfFrame(bytes, start);
    if (end === undefined || end > bytes.length) break;
    frames.push({ start, end, skippable });
    start = end;
  }
  return frames;
}

/**
 * The format whose frame comes first in content, after any skippable frames: Zstandard and LZ4 have the
 * same.
 */
export function framesOf(source: ByteSource): "zstd" | "lz4" | undefined {
  let start = 0;
  for (let count = 0; count < MAX_FRAMES; count++) {
    const head = viewOf(source.read(start, MIN_FRAME_BYTES));
    if (head.byteLength < MIN_FRAME_BYTES) return undefined;
    const magic = head.getUint32(0, true);
    if (magic === MAGIC) return "zstd";
    if (magic === LZ4_MAGIC) return head.getUint8(4) >> 6 === LZ4_VERSION ? "lz4" : undefined;
    if (!isSkippable(magic)) return undefined;
    start += 8 + head.getUint32(4, true);
  }
  return undefined;
}

function isSkippable(magic: number): boolean {
  return magic >>> 4 === SKIPPABLE >>> 4;
}

function endOfFrame(bytes: Uint8Array, start: number): number | undefined {
  const descriptor = bytes[start + 4] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const contentSize = CONTENT_SIZES[descriptor >> 6] || (single ? 1 : 0);
  const dictionary = DICTIONARY_SIZES[descriptor & 3] ?? 0;
  const end = endOfBlocks(bytes, start + 5 + (single ? 0 : 1) + dictionary + contentSize);
  return end === undefined ? undefined : end + (descriptor & 4);
}

function endOfBlocks(bytes: Uint8Array, start: number): number | undefined {
  let position = start;
  while (position + 3 <= bytes.length) {
    const low = bytes[position] ?? 0;
    const size = (low | (bytes[position + 1] ?? 0) << 8 | (bytes[position + 2] ?? 0) << 16) >> 3;
    position += 3 + (((low >> 1) & 3) === RLE_BLOCK ? 1 : size);
    if ((low & 1) !== 0) return position;
  }
  return undefined;
}
