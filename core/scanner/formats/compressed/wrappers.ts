import { isModelName } from "../../contract/model_names.ts";
import { extensionOf, fileNameOf } from "../../contract/names.ts";
import type { Content } from "../../contract/scanner.ts";
import { type ByteSource, memorySource } from "../../contract/source.ts";
import { decodeLatin1, startsWithBytes } from "../../readers/bytes/bytes.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";
import { isActivePickle, mayBeginPickle } from "../pickle/detect.ts";
import { MAX_PROTOCOL, PROTO } from "../pickle/opcodes.ts";
import { isBlosc } from "./blosc.ts";
import { beginsAs, type Codec, unpackedHead } from "./unpack.ts";
import { framesOf } from "./zstd_frames.ts";

/** Formats that a signature or a header shows. */
const SIGNED: readonly (readonly [Codec, (head: Uint8Array) => boolean])[] = [
  ["gzip", (head) => startsWithBytes(head, [0x1f, 0x8b, 8]) && ((head[3] ?? 0xff) & 0xe0) === 0],
  ["zlib", (head) => isZlibHeader(head) && beginsAs("zlib", head)],
  ["bzip2", isBzip2],
  ["xz", (head) => startsWithBytes(head, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0])],
  ["lzma", (head) => isLzma(head) && beginsAs("lzma", head)],
  ["lz4", (head) => startsWithBytes(head, [0x02, 0x21, 0x4c, 0x18])],
];
const HEAD_BYTES = 4096;

/** Detects the compression format around a single file, or returns undefined if there is none. */
export function wrapperOf(content: Content): Codec | undefined {
  const { source, name } = content;
  const head = source.read(0, HEAD_BYTES);
  const signed = SIGNED.find(([, matches]) => matches(head))?.[0] ?? framesOf(source);
  if (signed !== undefined) return signed;
  if (isBlosc(source)) return "blosc";
  const found = mayHoldPickle(content, head)
    ? WITHOUT_SIGNATURE.find((codec) => holdsPickle(codec, source, head))
    : undefined;
  return found ?? (/\.br$/i.test(name) && source.size > 0 ? "brotli" : undefined);
}

/**
 * Formats without a signature, or with parameters that hide it. Much of what is in none of them unpacks
 * to something, so content is taken for them if a pickle comes out that does more than build plain values.
 */
const WITHOUT_SIGNATURE = ["brotli", "lz4_block", "deflate", "lzma"] as const;

/** The extensions, besides those of models and numbers, of files that may be pickles in such a format. */
const EXTENSIONS: ReadonlySet<string> = new Set(["br", "lz4", "blosc", "lzma", "deflate"]);

/** First bytes of models and programs, which are no compressed data. */
const OTHER_FORMATS = ["GGUF", "\x93NUMPY", "\x89HDF", "PK\x03\x04", "\x7fELF"];
const MIN_TEXT_BYTES = 32;

/** Whether it takes trying to find out. Trying takes longer than all other detection together. */
function mayHoldPickle({ name, depth }: Content, head: Uint8Array): boolean {
  const extension = extensionOf(name);
  // Chunks of zarr are named by their numbers. Members named by one number are tensors, by the thousand.
  const isChunk = extension === ""
    ? depth === 0 || !/^\d+$/.test(fileNameOf(name))
    : /^\d+$/.test(extension);
  if (!isChunk && !EXTENSIONS.has(extension) && !isModelName(name)) return false;
  const [first = 0, second = 0] = head;
  if (first === PROTO && second <= MAX_PROTOCOL) return false;
  const start = head.subarray(0, MIN_TEXT_BYTES);
  if (start.length === MIN_TEXT_BYTES && start.every(isPrintable)) return false;
  const text = decodeLatin1(start);
  const isSafetensors = text.slice(5, 9) === "\0\0\0{";
  return !isSafetensors && !OTHER_FORMATS.some((signature) => text.startsWith(signature));
}

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f || byte >= 0x09 && byte <= 0x0d;
}

/** How much is unpacked to see whether it may be a pickle, and then to recognize one. */
const MAX_HEAD_BYTES = 64 * KIB;
const MAX_PICKLE_BYTES = 64 * MIB;

/** Whether content unpacks to a pickle, or may, but to more than is unpacked here. */
function holdsPickle(
  codec: typeof WITHOUT_SIGNATURE[number],
  source: ByteSource,
  head: Uint8Array,
): boolean {
  const beginning = unpackedHead(codec, head, MAX_HEAD_BYTES);
  if (beginning === "damaged") return false;
  if (beginning !== "too large" && !mayBeginPickle(memorySource(beginning))) return false;
  const whole = unpackedHead(codec, source.read(0, MAX_PICKLE_BYTES), MAX_PICKLE_BYTES);
  if (whole === "too large") return true;
  return whole !== "damaged" && isActivePickle(memorySource(whole));
}

/** RFC 1950, 2.2: method, window size and check bits. About 0.3% of random byte pairs match. */
function isZlibHeader([method = 0, flags = 0]: Uint8Array): boolean {
  const isDeflate = (method & 0x0f) === 8 && method >> 4 <= 7;
  return isDeflate && (method * 256 + flags) % 31 === 0 && (flags & 0x20) === 0;
}

/** Signature, level 1 to 9, and the magic of the first block or of the end of an empty stream. */
function isBzip2(head: Uint8Array): boolean {
  const [level = 0] = head.subarray(3);
  const block = head.subarray(4);
  return startsWithBytes(head, [0x42, 0x5a, 0x68]) && level >= 0x31 && level <= 0x39 &&
    (startsWithBytes(block, [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]) ||
      startsWithBytes(block, [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]));
}

/** LZMA has no signature: the default properties, a size that is unknown or below 2^40, a zero byte. */
function isLzma(head: Uint8Array): boolean {
  const sizeUnknown = startsWithBytes(head.subarray(5), new Array(8).fill(0xff));
  return startsWithBytes(head, [0x5d, 0, 0]) && head[13] === 0 &&
    (sizeUnknown || startsWithBytes(head.subarray(10), [0, 0, 0]));
}
