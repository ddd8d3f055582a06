import { inflateSync, zstdDecompressSync } from "node:zlib";
import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../../readers/bytes/bytes.ts";
import { unpackBloscLz } from "../../readers/compression/blosclz.ts";
import { unpackLz4Block } from "../../readers/compression/lz4.ts";
import {
  DamagedData,
  type OutputBuffer,
  UnsupportedData,
} from "../../readers/compression/output_buffer.ts";
import { unpackSnappy } from "../../readers/compression/snappy.ts";

const HEADER_BYTES = 16;

/** Flags of a Blosc frame. The codec is in the three highest bits. */
const SHUFFLED = 0x01;
const STORED = 0x02;
const BITS_SHUFFLED = 0x04;
const NOT_SPLIT = 0x10;

/** Blocks are split by the bytes of their elements if these are few, and the parts large enough. */
const MAX_SPLITS = 16;
const MIN_SPLIT_BYTES = 128;

/** The header of a Blosc frame, version 1 or 2 of the format, as zarr's chunks have it. */
interface Header {
  readonly flags: number;
  readonly elementBytes: number;
  readonly bytes: number;
  readonly blockBytes: number;
}

/** Whether content is a Blosc frame: its header has the size of the content. */
export function isBlosc(source: ByteSource): boolean {
  return headerOf(source.read(0, HEADER_BYTES), source.size) !== undefined;
}

function headerOf(head: Uint8Array, size: number): Header | undefined {
  if (head.length < HEADER_BYTES) return undefined;
  const view = viewOf(head);
  const version = view.getUint8(0);
  const [flags, elementBytes] = [view.getUint8(2), view.getUint8(3)];
  const [bytes, blockBytes] = [view.getUint32(4, true), view.getUint32(8, true)];
  const isFrame = (version === 1 || version === 2) && view.getUint8(1) === 1 && elementBytes > 0 &&
    view.getUint32(12, true) === size && (blockBytes > 0 || bytes === 0);
  return isFrame ? { flags, elementBytes, bytes, blockBytes } : undefined;
}

/**
 * Unpacks a Blosc frame. Returns the number of bytes that were read.
 *
 * @throws {DamagedData} when the frame is malformed.
 * @throws {UnsupportedData} when its codec is unknown.
 */
export function unpackBlosc(packed: Uint8Array, output: OutputBuffer): number {
  const size = packed.length < HEADER_BYTES ? 0 : viewOf(packed).getUint32(12, true);
  const header = headerOf(packed.subarray(0, HEADER_BYTES), size);
  if (header === undefined) throw new DamagedData("No Blosc frame");
  if ((header.flags & STORED) !== 0) {
    output.append(packed.subarray(HEADER_BYTES, HEADER_BYTES + header.bytes));
    return size;
  }
  const view = viewOf(packed);
  for (let block = 0; block * header.blockBytes < header.bytes; block++) {
    const at = HEADER_BYTES + 4 * block;
    if (at + 4 > packed.length) throw new DamagedData("A block has no start");
    const left = header.bytes - block * header.blockBytes;
    unpackBlock(packed, view.getUint32(at, true), header, left, output);
  }
  return size;
}

function unpackBlock(
  packed: Uint8Array,
  start: number,
  header: Header,
  left: number,
  output: OutputBuffer,
): void {
  const { flags, elementBytes, blockBytes } = header;
  const bytes = Math.min(blockBytes, left);
  const isSplit = (flags & NOT_SPLIT) === 0 && bytes === blockBytes && elementBytes <= MAX_SPLITS &&
    blockBytes / elementBytes >= MIN_SPLIT_BYTES;
  const parts = isSplit ? elementBytes : 1;
  const from = output.length;
  let at = start;
  for (let part = 0; part < parts; part++) {
    if (at + 4 > packed.length) throw new DamagedData("A part of a block is cut off");
    const length = viewOf(packed).getInt32(at, true);
    const data = packed.subarray(at + 4, at + 4 + Math.max(0, length));
    if (length < 0 || data.length < length) throw new DamagedData("A part of a block is cut off");
    const expected = output.length + Math.floor(bytes / parts);
    if (length === Math.floor(bytes / parts)) output.append(data);
    else unpackPart(flags >> 5, data, Math.floor(bytes / parts), output);
    if (output.length !== expected) throw new DamagedData("A part of a block has another size");
    at += 4 + length;
  }
  const block = output.bytes.subarray(from, output.length);
  if ((flags & BITS_SHUFFLED) !== 0) unshuffleBits(block, elementBytes);
  else if ((flags & SHUFFLED) !== 0 && elementBytes > 1) unshuffle(block, elementBytes);
}

function unpackPart(codec: number, data: Uint8Array, bytes: number, output: OutputBuffer): void {
  switch (codec) {
    case 0:
      return unpackBloscLz(data, output);
    case 1:
      return unpackLz4Block(data, output, output.length);
    case 2:
      return void unpackSnappy(data, output);
    case 3:
      return appendBy(inflateSync, data, bytes, output);
    case 4:
      return appendBy(zstdDecompressSync, data, bytes, output);
    default:
      throw new UnsupportedData(`Codec ${codec} of Blosc`);
  }
}

/**
 * @throws {OutputFull} when so many bytes may not be unpacked. A header can claim 4 GiB for each block.
 * @throws {DamagedData} when the data is malformed, or unpacks to more bytes.
 */
function appendBy(
  decode: (data: Uint8Array, options: { maxOutputLength: number }) => Uint8Array,
  data: Uint8Array,
  bytes: number,
  output: OutputBuffer,
): void {
  output.reserve(bytes);
  try {
    output.append(decode(data, { maxOutputLength: bytes }));
  } catch (error) {
    throw new DamagedData(error instanceof Error ? error.message : "Damaged data");
  }
}

/** Undoes the shuffle, which puts the first bytes of all elements first, then the second ones. */
function unshuffle(block: Uint8Array, elementBytes: number): void {
  const elements = Math.floor(block.length / elementBytes);
  const shuffled = block.slice();
  for (let byte = 0; byte < elementBytes; byte++) {
    for (let element = 0; element < elements; element++) {
      block[element * elementBytes + byte] = shuffled[byte * elements + element] ?? 0;
    }
  }
}

/**
 * Undoes the shuffle of bits: the first bits of all elements come first, eight elements a byte. Blocks
 * with another number of elements are not shuffled.
 */
function unshuffleBits(block: Uint8Array, elementBytes: number): void {
  const elements = Math.floor(block.length / elementBytes);
  if (elements % 8 !== 0) return;
  const shuffled = block.slice();
  block.fill(0, 0, elements * elementBytes);
  for (let bit = 0; bit < elementBytes * 8; bit++) {
    const row = bit * elements / 8;
    for (let element = 0; element < elements; element++) {
      const isSet = ((shuffled[row + (element >> 3)] ?? 0) >> (element & 7)) & 1;
      const at = element * elementBytes + (bit >> 3);
      block[at] = (block[at] ?? 0) | isSet << (bit & 7);
    }
  }
}
