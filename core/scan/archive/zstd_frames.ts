import type { ByteSource } from "../source.ts";
import { viewOf } from "./bytes.ts";

/** A frame of a Zstandard stream (RFC 8878, 3.1). */
export interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** Whether it carries other data, which decoders skip. */
  readonly skippable: boolean;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const MOST_FRAMES = 10_000;
const DICTIONARY_SIZES = [0, 1, 2, 4];
const CONTENT_SIZES = [0, 2, 4, 8];
const RUN = 1;

/** The frames that content begins with, up to the first bytes that are none, or are not whole. */
export function zstdFrames(source: ByteSource): ZstdFrame[] {
  const frames: ZstdFrame[] = [];
  let start = 0;
  while (start < source.size && frames.length < MOST_FRAMES) {
    const frame = frameAt(source, start);
    if (!frame || frame.end > source.size) break;
    frames.push(frame);
    start = frame.end;
  }
  return frames;
}

/** Whether content begins with a frame of Zstandard, behind any that decoders skip. */
export function isZstd(source: ByteSource): boolean {
  let start = 0;
  for (let count = 0; count < MOST_FRAMES; count++) {
    const magic = magicAt(source, start);
    if (magic === MAGIC) return true;
    if (magic === undefined || !isSkippable(magic)) return false;
    start = frameAt(source, start)?.end ?? source.size;
  }
  return false;
}

function magicAt(source: ByteSource, start: number): number | undefined {
  const head = source.read(start, 4);
  return head.length < 4 ? undefined : viewOf(head).getUint32(0, true);
}

function isSkippable(magic: number): boolean {
  return magic >>> 4 === SKIPPABLE >>> 4;
}

function frameAt(source: ByteSource, start: number): ZstdFrame | undefined {
  const magic = magicAt(source, start);
  if (magic === MAGIC) return dataFrame(source, start);
  if (magic === undefined || !isSkippable(magic)) return undefined;
  const size = source.read(start + 4, 4);
  if (size.length < 4) return undefined;
  return { start, end: start + 8 + viewOf(size).getUint32(0, true), skippable: true };
}

function dataFrame(source: ByteSource, start: number): ZstdFrame | undefined {
  const descriptor = source.read(start + 4, 1)[0];
  if (descriptor === undefined) return undefined;
  const single = (descriptor & 0x20) !== 0;
  const contentSize = CONTENT_SIZES[descriptor >> 6] || (single ? 1 : 0);
  const dictionary = DICTIONARY_SIZES[descriptor & 3] ?? 0;
  const end = endOfBlocks(source, start + 5 + (single ? 0 : 1) + dictionary + contentSize);
  if (end === undefined) return undefined;
  return { start, end: end + (descriptor & 4), skippable: false };
}

function endOfBlocks(source: ByteSource, start: number): number | undefined {
  let position = start;
  while (position < source.size) {
    const [low, middle, high] = source.read(position, 3);
    if (low === undefined || middle === undefined || high === undefined) return undefined;
    const type = (low >> 1) & 3;
    const size = (low | middle << 8 | high << 16) >> 3;
    position += 3 + (type === RUN ? 1 : size);
    if ((low & 1) !== 0) return position;
  }
  return undefined;
}
