/** What the scanner uses of `node:zlib`: that of the runtime, or decoders in JavaScript. */

import {
  DamagedData,
  OutputBuffer,
  OutputFull,
} from "../../../core/scanner/readers/compression/output_buffer.ts";
import { viewOf } from "../../../core/scanner/readers/bytes/bytes.ts";
import { builtin } from "./builtin.ts";
import { adler32, crc32 as crc32InScript } from "./checksums.ts";
import { InputEnded, unpackDeflate } from "./inflate.ts";
import { unpackZstd } from "./zstd.ts";

/** The flush modes of zlib. */
export const constants = { Z_SYNC_FLUSH: 2, Z_FINISH: 4 };

export interface UnpackOptions {
  readonly maxOutputLength?: number;
  /** Whether content that is cut off fails (`Z_FINISH`). @default `Z_FINISH` */
  readonly finishFlush?: number;
}

/** Unpacks from a position, and returns the position after what was read. */
type Decode = (packed: Uint8Array, start: number, output: OutputBuffer) => number;

/** Unpacks as `zlib` does: fails as a whole, but for a stream that is cut off and may be. */
function unpacker(decode: Decode) {
  return (packed: Uint8Array, options: UnpackOptions = {}): Uint8Array => {
    const { maxOutputLength = Infinity, finishFlush = constants.Z_FINISH } = options;
    let left = maxOutputLength;
    const output = new OutputBuffer((bytes) => {
      const granted = Math.min(bytes, left);
      left -= granted;
      return granted;
    });
    try {
      decode(packed, 0, output);
    } catch (error) {
      if (error instanceof OutputFull) throw new OutputTooLarge();
      if (!(error instanceof InputEnded) || finishFlush === constants.Z_FINISH) throw error;
    }
    return output.content();
  };
}

class OutputTooLarge extends RangeError {
  readonly code = "ERR_BUFFER_TOO_LARGE";
}

/** RFC 1950. */
const unpackZlib: Decode = (packed, start, output) => {
  const [method = 0, flags = 0] = read(packed, start, 2);
  const isHeader = (method << 8 | flags) % 31 === 0 && (method & 15) === 8 && method >> 4 <= 7;
  if (!isHeader) throw new DamagedData("No header of zlib");
  if ((flags & 0x20) !== 0) {
    read(packed, start + 2, 4);
    throw new DamagedData("A dictionary is needed");
  }
  const end = unpackDeflate(packed, start + 2, output);
  const checksum = viewOf(read(packed, end, 4)).getUint32(0);
  if (checksum !== adler32(output.content())) throw new DamagedData("The checksum differs");
  return end + 4;
};

/** RFC 1952: members, one after the other. Zeros may follow the last. */
const unpackGzip: Decode = (packed, start, output) => {
  let at = start;
  do at = unpackGzipMember(packed, at, output); while (at < packed.length && packed[at] !== 0);
  return at;
};

const HEADER_CHECKSUM = 2;
const EXTRA = 4;
const NAME = 8;
const COMMENT = 16;
const RESERVED = 0xe0;

const unpackGzipMember: Decode = (packed, start, output) => {
  const [id1, id2] = read(packed, start, 2);
  if (id1 !== 0x1f || id2 !== 0x8b) throw new DamagedData("No header of gzip");
  const [, , method, flags = 0] = read(packed, start, 4);
  if (method !== 8 || (flags & RESERVED) !== 0) throw new DamagedData("No method of gzip");
  read(packed, start + 4, 6);
  let at = start + 10;
  if ((flags & EXTRA) !== 0) {
    const [low = 0, high = 0] = read(packed, at, 2);
    read(packed, at + 2, low | high << 8);
    at += 2 + (low | high << 8);
  }
  for (const text of [NAME, COMMENT]) {
    if ((flags & text) === 0) continue;
    const end = packed.indexOf(0, at);
    if (end < 0) throw new InputEnded();
    at = end + 1;
  }
  if ((flags & HEADER_CHECKSUM) !== 0) {
    const [low = 0, high = 0] = read(packed, at, 2);
    const checksum = crc32(packed.subarray(start, at)) & 0xffff;
    if (checksum !== (low | high << 8)) throw new DamagedData("The checksum differs");
    at += 2;
  }
  const before = output.length;
  const end = unpackDeflate(packed, at, output);
  const content = output.content().subarray(before);
  for (const [offset, expected] of [[0, crc32(content)], [4, content.length]] as const) {
    const stored = viewOf(read(packed, end + offset, 4)).getUint32(0, true);
    if (stored !== expected >>> 0) throw new DamagedData("The trailer differs");
  }
  return end + 8;
};

/** @throws {InputEnded} when there are fewer bytes. */
function read(packed: Uint8Array, start: number, length: number): Uint8Array {
  if (start + length > packed.length) throw new InputEnded();
  return packed.subarray(start, start + length);
}

const zlib = builtin("node:zlib");

export const crc32 = zlib?.crc32 ?? crc32InScript;
export const inflateRawSync = zlib?.inflateRawSync ?? unpacker(unpackDeflate);
export const inflateSync = zlib?.inflateSync ?? unpacker(unpackZlib);
export const gunzipSync = zlib?.gunzipSync ?? unpacker(unpackGzip);
export const zstdDecompressSync = zlib?.zstdDecompressSync ?? unpacker(unpackZstd);
