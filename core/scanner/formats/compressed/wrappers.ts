import type { ByteSource } from "../../contract/source.ts";
import { startsWithBytes } from "../../readers/bytes/bytes.ts";
import { beginsAs, type Codec } from "./unpack.ts";
import { isZstd } from "./zstd_frames.ts";

/** A compression around one file. */
export type Wrapper =
  | { readonly format: Codec; readonly codec: Codec }
  | { readonly format: UnsupportedWrapper; readonly codec: undefined };

/** Those that are recognised, and not unpacked. */
export type UnsupportedWrapper = "bzip2" | "xz" | "lzma" | "lz4";

const UNSUPPORTED: readonly (readonly [UnsupportedWrapper, (head: Uint8Array) => boolean])[] = [
  ["bzip2", isBzip2],
  ["xz", (head) => startsWithBytes(head, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
  ["lzma", isLzma],
  ["lz4", (head) => startsWithBytes(head, [0x04, 0x22, 0x4d, 0x18]) && (head[4] ?? 0) >> 6 === 1],
  ["lz4", (head) => startsWithBytes(head, [0x02, 0x21, 0x4c, 0x18])],
];
const HEAD = 4096;

/** The compression that content begins with; undefined where it is none. */
export function wrapperOf(source: ByteSource): Wrapper | undefined {
  const head = source.read(0, HEAD);
  const known = codecOf(source, head);
  if (known) return { format: known, codec: known };
  const format = UNSUPPORTED.find(([, begins]) => begins(head))?.[0];
  return format && { format, codec: undefined };
}

function codecOf(source: ByteSource, head: Uint8Array): Codec | undefined {
  if (startsWithBytes(head, [0x1f, 0x8b, 8]) && ((head[3] ?? 0xff) & 0xe0) === 0) return "gzip";
  if (isZlibHeader(head) && beginsAs("zlib", head)) return "zlib";
  return isZstd(source) ? "zstd" : undefined;
}

/** RFC 1950, 2.2: a method, a window and a sum; three in a thousand pairs of bytes are one. */
function isZlibHeader([method = 0, flags = 0]: Uint8Array): boolean {
  const isDeflate = (method & 0x0f) === 8 && method >> 4 <= 7;
  return isDeflate && (method * 256 + flags) % 31 === 0 && (flags & 0x20) === 0;
}

/** A level from 1 to 9, and the first block, or the end where there is none. */
function isBzip2(head: Uint8Array): boolean {
  const [level = 0] = head.subarray(3);
  const block = head.subarray(4);
  return startsWithBytes(head, [0x42, 0x5a, 0x68]) && level >= 0x31 && level <= 0x39 &&
    (startsWithBytes(block, [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) ||
      startsWithBytes(block, [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]));
}

/** No signature: the usual properties, a size that is unknown or below 2^40, and the first byte. */
function isLzma(head: Uint8Array): boolean {
  const unknown = startsWithBytes(head.subarray(5), new Array(8).fill(0xff));
  return startsWithBytes(head, [0x5d, 0, 0]) && head[13] === 0 &&
    (unknown || startsWithBytes(head.subarray(10), [0, 0, 0]));
}
