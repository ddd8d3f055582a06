import { concatBytes } from "../../readers/bytes/bytes.ts";
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { LIMIT_SETTINGS } from "../../contract/limits.ts";
import type { ScanLimits, UnpackContext } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { unpackBzip2 } from "../../readers/compression/bzip2.ts";
import { unpackLz4, unpackSizedLz4 } from "../../readers/compression/lz4.ts";
import { unpackLzma, unpackZipLzma } from "../../readers/compression/lzma.ts";
import {
  DamagedData,
  OutputBuffer,
  OutputFull,
  UnsupportedData,
} from "../../readers/compression/output_buffer.ts";
import { unpackXz } from "../../readers/compression/xz.ts";
import { unpackBlosc } from "./blosc.ts";
import { zstdFrames } from "./zstd_frames.ts";

/** A supported compression format. */
export type Codec = NativeCodec | keyof typeof DECODERS;

/** Formats that the runtime unpacks. */
type NativeCodec = "deflate" | "zlib" | "gzip" | "zstd" | "brotli";

/** Unpacks into a buffer, and returns how many packed bytes it read. */
type Decoder = (packed: Uint8Array, output: OutputBuffer, size: number | undefined) => number;

const DECODERS = {
  bzip2: unpackBzip2,
  xz: unpackXz,
  lzma: unpackLzma,
  zip_lzma: unpackZipLzma,
  lz4: unpackLz4,
  lz4_block: unpackSizedLz4,
  blosc: unpackBlosc,
} as const satisfies Readonly<Record<string, Decoder>>;

/** Unpacked content. */
export interface Unpacked {
  readonly bytes: Uint8Array;
  /** Why bytes are missing: a scan limit, or damaged input. Undefined if the content is complete. */
  readonly incomplete:
    | "unpacked_limit"
    | "corrupt_stream"
    | "unsupported_compression"
    | undefined;
  /** Number of compressed bytes that `bytes` was unpacked from. */
  readonly packedSize: number;
}

/** Upper bound on the bytes that one byte of a DEFLATE stream expands to. */
const MAX_DEFLATE_RATIO = 1032;
/** Bound on the search for the longest readable prefix. */
const MAX_PREFIX_ATTEMPTS = 24;

/**
 * Unpacks content into memory. If a scan limit or damaged input prevents that, unpacks a readable
 * prefix instead.
 *
 * @param declaredSize Declared unpacked size, if the format has one. It is untrusted: it only decides
 *   how many bytes are reserved first.
 */
export function unpack(
  codec: Codec,
  compressed: ByteSource,
  declaredSize: number | undefined,
  context: UnpackContext,
): Unpacked {
  const maxBytes = context.limits.maxMemberBytes;
  // Incompressible data grows a little, so the packed bytes may exceed the limit.
  const maxPackedBytes = Math.ceil(maxBytes * 1.125) + 65536;
  const packed = compressed.read(0, Math.min(compressed.size, maxPackedBytes));
  const isCut = packed.length < compressed.size || compressed.isCut === true;
  if (isDecoded(codec)) return decoded(codec, packed, isCut, declaredSize, context);
  const possible = codec === "zstd" || codec === "brotli"
    ? maxBytes
    : Math.min(maxBytes, packed.length * MAX_DEFLATE_RATIO + 1024);
  const likely = Number.isFinite(declaredSize) ? Math.min(possible, declaredSize ?? 0) : possible;
  let bound = context.reserveUnpacked(likely);
  let whole = attempt(codec, packed, bound, true);
  if (whole === "too large" && bound === likely && likely < possible) {
    bound += context.reserveUnpacked(possible - likely);
    whole = attempt(codec, packed, bound, true);
  }
  if (whole instanceof Uint8Array && packed.length === compressed.size) {
    return { bytes: whole, incomplete: undefined, packedSize: packed.length };
  }
  const limited = whole === "too large" || isCut;
  return {
    ...whole instanceof Uint8Array
      ? { bytes: whole, packedSize: packed.length }
      : longestPrefix(codec, packed, bound),
    incomplete: limited ? "unpacked_limit" : "corrupt_stream",
  };
}

function isDecoded(codec: Codec): codec is keyof typeof DECODERS {
  return Object.hasOwn(DECODERS, codec);
}

/** Unpacks with a decoder of our own, which keeps what it unpacked before a fault. */
function decoded(
  codec: keyof typeof DECODERS,
  packed: Uint8Array,
  isCut: boolean,
  declaredSize: number | undefined,
  context: UnpackContext,
): Unpacked {
  let left = context.limits.maxMemberBytes;
  const output = new OutputBuffer((bytes) => {
    const granted = context.reserveUnpacked(Math.min(bytes, left));
    left -= granted;
    return granted;
  });
  const decode: Decoder = DECODERS[codec];
  try {
    const packedSize = Math.min(decode(packed, output, declaredSize), packed.length);
    return { bytes: output.content(), incomplete: undefined, packedSize };
  } catch (error) {
    const incomplete = error instanceof OutputFull || isCut
      ? "unpacked_limit"
      : error instanceof UnsupportedData
      ? "unsupported_compression"
      : "corrupt_stream";
    if (!isFault(error)) throw error;
    return { bytes: output.content(), incomplete, packedSize: packed.length };
  }
}

function isFault(error: unknown): boolean {
  return error instanceof OutputFull || error instanceof UnsupportedData ||
    error instanceof DamagedData;
}

/** The limits that kept content from being unpacked, and what raises them. */
export function limitDetails(limits: ScanLimits): Readonly<Record<string, unknown>> {
  return {
    max_member_bytes: limits.maxMemberBytes,
    max_unpacked_bytes: limits.maxUnpackedBytes,
    settings: [LIMIT_SETTINGS.maxMemberBytes, LIMIT_SETTINGS.maxUnpackedBytes],
  };
}

/** Whether the first bytes of content unpack to at least one byte without error. */
export function beginsAs(codec: NativeCodec | "lzma", head: Uint8Array): boolean {
  if (codec === "lzma") return beginsAsLzma(head);
  const bytes = attempt(codec, head, Math.max(1, head.length) * MAX_DEFLATE_RATIO, false);
  return bytes instanceof Uint8Array && bytes.length > 0;
}

/** Unpacks the first bytes of content, to at most `maxBytes`. */
export function unpackedHead(
  codec: "brotli" | "deflate" | "zlib" | "lz4_block" | "lzma",
  head: Uint8Array,
  maxBytes: number,
): Uint8Array | "too large" | "damaged" {
  if (!isDecoded(codec)) return attempt(codec, head, maxBytes, false);
  let left = maxBytes;
  const output = new OutputBuffer((bytes) => {
    const granted = Math.min(bytes, left);
    left -= granted;
    return granted;
  });
  try {
    DECODERS[codec](head, output);
  } catch (error) {
    if (error instanceof OutputFull) return "too large";
    // A head is cut off, so what came out before counts.
    if (!(error instanceof DamagedData) || output.length === 0) return "damaged";
  }
  return output.content();
}

function beginsAsLzma(head: Uint8Array): boolean {
  const output = new OutputBuffer(() => MIN_LZMA_BYTES);
  try {
    unpackLzma(head, output);
  } catch (error) {
    if (!isFault(error)) throw error;
    // The head is cut off, and a reader that is at its end makes up a few bytes.
    return output.length >= Math.min(MIN_LZMA_BYTES, head.length);
  }
  return true;
}

/** Bytes that the head of LZMA data unpacks to at least, unless it ends before. */
const MIN_LZMA_BYTES = 256;

/**
 * Unpacks the longest readable prefix of the compressed bytes, found by bisection: the decoders return
 * nothing at all if the output exceeds the bound or the input is damaged.
 */
function longestPrefix(
  codec: NativeCodec,
  packed: Uint8Array,
  bound: number,
): Pick<Unpacked, "bytes" | "packedSize"> {
  let best: Uint8Array = new Uint8Array();
  let [readable, unreadable] = [0, packed.length + 1];
  for (
    let tries = 0;
    tries < MAX_PREFIX_ATTEMPTS && unreadable - readable > 1 + readable / 16;
    tries++
  ) {
    const length = tries === 0 ? packed.length : Math.floor((readable + unreadable) / 2);
    const bytes = attempt(codec, packed.subarray(0, length), bound, false);
    if (bytes instanceof Uint8Array) [best, readable] = [bytes, length];
    else unreadable = length;
  }
  return { bytes: best, packedSize: readable };
}

function attempt(
  codec: NativeCodec,
  packed: Uint8Array,
  maxOutputLength: number,
  complete: boolean,
): Uint8Array | "too large" | "damaged" {
  if (maxOutputLength === 0) return "too large";
  const finishFlush = complete ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  try {
    switch (codec) {
      case "deflate":
        return inflateRawSync(packed, { maxOutputLength, finishFlush });
      case "zlib":
        return inflateSync(packed, { maxOutputLength, finishFlush });
      case "gzip":
        return gunzipSync(packed, { maxOutputLength, finishFlush });
      case "brotli":
        return unpackBrotli(packed, maxOutputLength, complete);
      case "zstd":
        return unpackZstd(packed, maxOutputLength, complete);
    }
  } catch (error) {
    return isTooLarge(error) ? "too large" : "damaged";
  }
}

/** @throws {RangeError} when nothing comes out: not all runtimes say that the content is damaged. */
function unpackBrotli(packed: Uint8Array, maxOutputLength: number, complete: boolean): Uint8Array {
  const { BROTLI_OPERATION_FINISH, BROTLI_OPERATION_FLUSH } = constants;
  const finishFlush = complete ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH;
  const bytes = brotliDecompressSync(packed, { maxOutputLength, finishFlush });
  if (bytes.length === 0) throw new RangeError("Damaged Brotli stream");
  return bytes;
}

/**
 * Unpacks frame by frame: the decoder stops after the first frame, and accepts a truncated frame as
 * complete.
 *
 * @param complete Whether to throw if the last frame is cut off.
 */
function unpackZstd(packed: Uint8Array, maxBytes: number, complete: boolean): Uint8Array {
  const frames = zstdFrames(packed);
  const end = frames.at(-1)?.end ?? 0;
  if (complete && end < packed.length) throw new RangeError("Truncated Zstandard frame");
  const pieces = frames.filter(({ skippable }) => !skippable);
  if (end < packed.length) pieces.push({ start: end, end: packed.length, skippable: false });
  const unpacked: Uint8Array[] = [];
  let left = maxBytes;
  for (const { start, end } of pieces) {
    const piece = zstdDecompressSync(packed.subarray(start, end), { maxOutputLength: left + 1 });
    left -= piece.length;
    if (left < 0) throw new OutputTooLarge();
    unpacked.push(piece);
  }
  return concatBytes(unpacked);
}

class OutputTooLarge extends Error {
  readonly code = "ERR_BUFFER_TOO_LARGE";
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
